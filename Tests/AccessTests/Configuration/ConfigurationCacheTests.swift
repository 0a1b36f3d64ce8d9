@testable import Access
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Configuration cache")
struct ConfigurationCacheTests {
    /// Counts its loads. A test can block it.
    final class Source: Sendable {
        let loads = Mutex(0)
        let values = Mutex<[String: (String, UUID)]>([:])

        func cache(capacity: Int = 100) -> ConfigurationCache<String, String> {
            ConfigurationCache(capacity: capacity) { key in
                self.loads.withLock { $0 += 1 }
                return self.values.withLock { $0[key] }.map { .init($0.0, owner: $0.1) }
            }
        }

        func put(_ key: String, _ value: String, owner: UUID) {
            values.withLock { $0[key] = (value, owner) }
        }

        var count: Int { loads.withLock { $0 } }
    }

    let source = Source()
    let one = UUID()
    let two = UUID()

    @Test("a value is loaded once while notifications arrive")
    func loadedOnce() async throws {
        source.put("a", "1", owner: one)
        let cache = source.cache()
        cache.forgetAll(isFresh: true)
        for _ in 0..<5 { #expect(try await cache["a"] == "1") }
        #expect(source.count == 1)
    }

    @Test("a change of its owner removes a value, another owner's change does not")
    func forgetting() async throws {
        source.put("a", "1", owner: one)
        let cache = source.cache()
        cache.forgetAll(isFresh: true)
        _ = try await cache["a"]
        source.put("a", "2", owner: one)
        cache.forget(two)
        #expect(try await cache["a"] == "1")
        cache.forget(one)
        #expect(try await cache["a"] == "2")
    }

    @Test("a change of the platform empties the cache")
    func platform() async throws {
        source.put("a", "1", owner: one)
        let cache = source.cache()
        cache.forgetAll(isFresh: true)
        _ = try await cache["a"]
        source.put("a", "2", owner: one)
        cache.forget(.platform)
        #expect(try await cache["a"] == "2")
    }

    @Test("a missing key is remembered, and forgotten at any change")
    func missing() async throws {
        let cache = source.cache()
        cache.forgetAll(isFresh: true)
        #expect(try await cache["a"] == nil)
        #expect(try await cache["a"] == nil)
        #expect(source.count == 1)
        source.put("a", "1", owner: one)
        cache.forget(one)
        #expect(try await cache["a"] == "1")
    }

    @Test("the cache stays within its capacity")
    func capacity() async throws {
        for number in 0..<50 { source.put("\(number)", "x", owner: UUID()) }
        let cache = source.cache(capacity: 10)
        cache.forgetAll(isFresh: true)
        for number in 0..<50 { _ = try await cache["\(number)"] }
        #expect(source.count == 50)
        for number in 40..<50 { _ = try await cache["\(number)"] }
        #expect(source.count == 50)
        _ = try await cache["0"]
        #expect(source.count == 51)
    }

    @Test("a value that was read before a change is not cached after it")
    func staleLoad() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let loads = Mutex(0)
        let owner = one
        let cache = ConfigurationCache<String, Int> { _ in
            let number = loads.withLock {
                $0 += 1; return $0
            }
            if number == 1 {
                start.yield()
                _ = await released.first { _ in true }
            }
            return .init(number, owner: owner)
        }
        cache.forgetAll(isFresh: true)
        async let first = cache["a"]
        _ = await started.first { _ in true }
        cache.forget(one)
        // A caller after the change does not wait for the read from before it.
        #expect(try await cache["a"] == 2)
        release.yield()
        #expect(try await first == 1)
        #expect(try await cache["a"] == 2)
    }

    @Test("callers that miss at the same time share one load")
    func singleFlight() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let loads = Mutex(0)
        let owner = one
        let cache = ConfigurationCache<String, Int> { _ in
            loads.withLock { $0 += 1 }
            start.yield()
            _ = await released.first { _ in true }
            return .init(1, owner: owner)
        }
        cache.forgetAll(isFresh: false)
        async let a = cache["a"]
        _ = await started.first { _ in true }
        let others = (0..<10).map { _ in Task { try await cache["a"] } }
        // This is long enough for all of them to ask. A later one finds the value, so the test can miss a fault but not invent one.
        for _ in 0..<10_000 { await Task.yield() }
        release.finish()
        #expect(try await a == 1)
        for other in others { #expect(try await other.value == 1) }
        #expect(loads.withLock { $0 } == 1)
    }

    @Test("missing names replace no cached value")
    func strangers() async throws {
        source.put("a", "1", owner: one)
        let cache = source.cache(capacity: 10)
        cache.forgetAll(isFresh: true)
        _ = try await cache["a"]
        for number in 0..<5000 { #expect(try await cache["stranger-\(number)"] == nil) }
        let before = source.count
        #expect(try await cache["a"] == "1")
        #expect(source.count == before)
    }

    @Test("a key that is repeatedly forgotten and loaded replaces no other")
    func returning() async throws {
        for name in ["a", "b"] { source.put(name, "1", owner: name == "a" ? one : two) }
        let cache = source.cache(capacity: 3)
        cache.forgetAll(isFresh: true)
        _ = try await cache["b"]
        for _ in 0..<20 {
            _ = try await cache["a"]
            cache.forget(one)
        }
        let before = source.count
        #expect(try await cache["b"] == "1")
        #expect(source.count == before)
    }

    // MARK: Recent values

    /// A database that can stop to answer.
    private final class Database: Sendable {
        private let state = Mutex((value: Int?.some(1), isDown: false, waiting: [CheckedContinuation<Void, Never>]()))
        let owner: UUID

        init(owner: UUID) {
            self.owner = owner
        }

        func cache(recency: Duration = .seconds(3600)) -> ConfigurationCache<String, Int> {
            ConfigurationCache(recency: recency) { _ in
                await withCheckedContinuation { continuation in
                    let isDown = self.state.withLock { state in
                        if state.isDown { state.waiting.append(continuation) }
                        return state.isDown
                    }
                    if !isDown { continuation.resume() }
                }
                return self.state.withLock { $0.value }.map { .init($0, owner: self.owner) }
            }
        }

        var isAsked: Bool { state.withLock { !$0.waiting.isEmpty } }
        func put(_ value: Int?) { state.withLock { $0.value = value } }
        func stop() { state.withLock { $0.isDown = true } }

        func start() {
            let waiting = state.withLock { state in
                defer { (state.isDown, state.waiting) = (false, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// A cache whose only value may be outdated, and its database, which does not answer.
    private func outdated() async throws -> (Database, ConfigurationCache<String, Int>) {
        let database = Database(owner: one)
        let cache = database.cache()
        cache.forgetAll(isFresh: true)
        _ = try await cache["a"]
        database.stop()
        cache.forgetAll(isFresh: true)
        return (database, cache)
    }

    @Test("while the database does not answer, recent returns the last value, and the subscript waits", arguments: [false, true])
    func outage(isFresh: Bool) async throws {
        let database = Database(owner: one)
        let cache = database.cache()
        cache.forgetAll(isFresh: true)
        #expect(try await cache.recent("a").map { [$0.value, $0.isOld ? 1 : 0] } == [1, 0])
        database.stop()
        cache.forgetAll(isFresh: isFresh)
        database.put(2)
        for _ in 1...3 { #expect(try await cache.recent("a").map { [$0.value, $0.isOld ? 1 : 0] } == [1, 1]) }
        let strict = Task { try await cache["a"] }
        database.start()
        #expect(try await strict.value == 2)
        #expect(try await cache.recent("a")?.value == 2)
    }

    @Test("a caller that waited without a result before gets the last value without another wait, and the load continues")
    func noSecondWait() async throws {
        let (database, cache) = try await outdated()
        database.put(2)
        #expect(try await cache.recent("a", waits: false).map { [$0.value, $0.isOld ? 1 : 0] } == [1, 1])
        try await eventually("the load has started") { database.isAsked }
        database.start()
        #expect(try await cache["a"] == 2)
        #expect(try await cache.recent("a", waits: false).map { [$0.value, $0.isOld ? 1 : 0] } == [2, 0])
    }

    @Test("after a reported change, recent returns no earlier value, not even during an outage")
    func changed() async throws {
        for owner in [one, UUID.platform] {
            let database = Database(owner: one)
            let cache = database.cache()
            cache.forgetAll(isFresh: true)
            _ = try await cache["a"]
            database.stop()
            cache.forgetAll(isFresh: false)
            cache.forget(owner)
            database.put(2)
            let waiting = Task { try await cache.recent("a")?.value }
            try await eventually("the load has started") { database.isAsked }
            database.start()
            #expect(try await waiting.value == 2)
        }
    }

    @Test("recent returns no value that is older than its limit, and none for a key without a value")
    func limits() async throws {
        let database = Database(owner: one)
        let cache = database.cache(recency: .zero)
        cache.forgetAll(isFresh: true)
        _ = try await cache["a"]
        cache.forgetAll(isFresh: true)
        database.stop()
        let waiting = Task { try await cache.recent("a")?.value }
        database.put(nil)
        database.start()
        #expect(try await waiting.value == nil)
        #expect(try await cache.recent("a") == nil)
        // The database has the value again, but the notification has not arrived.
        database.put(3)
        #expect(try await cache.recent("a") == nil)
        cache.forget(one)
        #expect(try await cache.recent("a")?.value == 3)
    }

    @Test("if another caller may have a newer value, recent does not return an older one")
    func overtaken() async throws {
        let (database, cache) = try await outdated()
        // A caller that signs with the value.
        let strict = Task { try await cache["a"] }
        try await eventually("the load has started") { database.isAsked }
        cache.forgetAll(isFresh: false)
        database.put(2)
        database.start()
        #expect(try await strict.value == 2)
        database.stop()
        let waiting = Task { try await cache.recent("a")?.value }
        try await eventually("the second load has started") { database.isAsked }
        database.start()
        #expect(try await waiting.value == 2)
    }

    @Test("of two loads in different eras, an older value never follows a newer one", arguments: [true, false])
    func twoLoads(isFresh: Bool) async throws {
        let (gates, owner) = (Gates(), one)
        let cache = ConfigurationCache<String, Int>(recency: .seconds(3600)) { _ in
            let number = gates.next()
            await gates.wait(number)
            return .init(gates.value(of: number), owner: owner)
        }
        cache.forgetAll(isFresh: true)
        let first = Task { try await cache["a"] }
        try await eventually("the first load has started") { gates.count == 1 }
        cache.forgetAll(isFresh: true)
        let second = Task { try await cache["a"] }
        try await eventually("the second load has started") { gates.count == 2 }
        if !isFresh { cache.forgetAll(isFresh: false) }
        gates.open(2, with: 1)
        #expect(try await second.value == 1)
        gates.open(1, with: 2)
        #expect(try await first.value == 2)
        // In a current era, the second load is newer than all changes. In no era, the first may have read later.
        let recent = Task { try await cache.recent("a", waits: false)?.value }
        if !isFresh { try await eventually("the third load has started") { gates.count == 3 } }
        gates.open(3, with: 3)
        #expect(try await recent.value == (isFresh ? 1 : 3))
    }

    /// Loads that a test ends one by one.
    private final class Gates: Sendable {
        private let state = Mutex((count: 0, values: [Int: Int](), waiting: [Int: CheckedContinuation<Void, Never>]()))

        var count: Int { state.withLock { $0.count } }

        func next() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }

        func wait(_ number: Int) async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if state.values[number] == nil { state.waiting[number] = continuation }
                    return state.values[number] != nil
                }
                if isOpen { continuation.resume() }
            }
        }

        func value(of number: Int) -> Int { state.withLock { $0.values[number]! } }

        func open(_ number: Int, with value: Int) {
            state.withLock { state in
                state.values[number] = value
                return state.waiting.removeValue(forKey: number)
            }?.resume()
        }
    }

    @Test("a value whose load met the start or the loss of notifications is an old value later", arguments: [true, false])
    func metNotifications(isFresh: Bool) async throws {
        let database = Database(owner: one)
        let cache = database.cache()
        database.stop()
        let first = Task { try await cache["a"] }
        try await eventually("the load has started") { database.isAsked }
        cache.forgetAll(isFresh: isFresh)
        database.start()
        #expect(try await first.value == 1)
        database.stop()
        let recent = Task { try await cache.recent("a", waits: false).map { [$0.value, $0.isOld ? 1 : 0] } }
        try await eventually("the second load has started") { database.isAsked }
        database.put(2)
        database.start()
        #expect(try await recent.value == [1, 1])
        #expect(try await cache["a"] == 2)
    }
}
