@testable import Access
import Foundation
import Synchronization
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
}
