import Foundation
import Synchronization
import Testing

@testable import Apple

@Suite("Places for calls to Apple")
struct ApplePlacesTests {
    private static func share(of connection: UUID = UUID()) -> AppleShare {
        AppleShare(connection: connection, tenant: UUID())
    }

    /// Takes a place if one is free.
    private func isAdmitted(_ share: AppleShare, to places: ApplePlaces) async -> Bool {
        (try? await places.take(share, by: .now)) != nil
    }

    /// Takes all places that the share may have.
    private func fill(_ places: ApplePlaces, _ share: AppleShare) async -> Int {
        var count = 0
        while await isAdmitted(share, to: places) { count += 1 }
        return count
    }

    private func isWaiting(_ count: Int, at places: ApplePlaces) async {
        while places.load.waiting != count { await Task.yield() }
    }

    @Test("by default one tenant alone has places for 750 logins a second at 150 ms")
    func enough() async {
        let held = await fill(ApplePlaces(AppleSettings().concurrency), Self.share())
        #expect(Double(held) >= 750 * 0.15)
        #expect(held == 171)
    }

    @Test("a tenant with hanging calls has a third of the places, and others find a place without a wait", arguments: [4, 12, 512])
    func hanging(total: Int) async {
        let places = ApplePlaces(total)
        let held = await fill(places, Self.share())
        #expect(held == (total + 2) / 3)
        for _ in 0..<(total / 3) {
            let waited = places.load.waited
            #expect(await isAdmitted(Self.share(), to: places))
            #expect(places.load.waited == waited)
        }
    }

    @Test("ten tenants with hanging calls leave places for an eleventh")
    func manyHanging() async {
        let places = ApplePlaces(512)
        for _ in 0..<10 { _ = await fill(places, Self.share()) }
        #expect(await isAdmitted(Self.share(), to: places))
    }

    @Test("a connection has at most half of the places, and one of its tenants leaves places for the others")
    func sharedConnection() async {
        let (places, connection) = (ApplePlaces(512), UUID())
        #expect(await fill(places, Self.share(of: connection)) == 171)
        // The others on the shared connection continue.
        for _ in 0..<20 { #expect(await isAdmitted(Self.share(of: connection), to: places)) }
        for _ in 0..<200 { _ = await fill(places, Self.share(of: connection)) }
        #expect(places.load.calls <= 257)
        // A tenant with its own connection also continues.
        #expect(await fill(places, Self.share()) > 50)
    }

    @Test("the calls of a share are served in their order when a place becomes free")
    func order() async throws {
        let (places, share) = (ApplePlaces(4), Self.share())
        let served = Mutex<[Int]>([])
        #expect(await fill(places, share) == 2)
        await withThrowingTaskGroup(of: Void.self) { calls in
            for number in 1...3 {
                calls.addTask { @Sendable in
                    try await places.take(share, by: .now + .seconds(600))
                    served.withLock { $0.append(number) }
                }
                await isWaiting(number, at: places)
            }
            for number in 1...3 {
                places.giveBack(share)
                while served.withLock({ $0.count }) < number { await Task.yield() }
                #expect(places.load == AppleLoad(calls: 2, waiting: 3 - number, waited: 4))
            }
        }
        #expect(served.withLock { $0 } == [1, 2, 3])
    }

    @Test("waiting shares take turns: one with many calls does not come before the others")
    func turns() async throws {
        let (places, busy, calm) = (ApplePlaces(4), Self.share(), Self.share())
        let served = Mutex<[AppleShare]>([])
        // No place is free.
        var taken: [AppleShare] = []
        for _ in 0..<4 { taken.append(Self.share()) }
        for share in taken { #expect(await isAdmitted(share, to: places)) }
        await withThrowingTaskGroup(of: Void.self) { calls in
            for (number, share) in [busy, busy, busy, calm].enumerated() {
                calls.addTask { @Sendable in
                    try await places.take(share, by: .now + .seconds(600))
                    served.withLock { $0.append(share) }
                }
                await isWaiting(number + 1, at: places)
            }
            for (number, share) in taken.enumerated() {
                places.giveBack(share)
                if number < 2 { while served.withLock({ $0.count }) <= number { await Task.yield() } }
            }
            #expect(served.withLock { Array($0.prefix(2)) } == [busy, calm])
            // The rest is served when places become free.
            while places.load.waiting > 0 {
                places.giveBack(busy)
                await Task.yield()
            }
        }
    }

    @Test("a call without a place fails at its deadline, and a cancelled one leaves")
    func leaving() async throws {
        let (places, share) = (ApplePlaces(4), Self.share())
        let held = await fill(places, share)
        await #expect(throws: AppleError.busy) { try await places.take(share, by: .now - .seconds(1)) }
        await #expect(throws: AppleError.busy) { try await places.take(share, by: .now + .milliseconds(1)) }
        let call = Task { try await places.take(share, by: .now + .seconds(600)) }
        await isWaiting(1, at: places)
        call.cancel()
        await #expect(throws: AppleError.cancelled) { try await call.value }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await places.take(share, by: .now + .seconds(600))
        }
        await #expect(throws: AppleError.cancelled) { try await cancelled.value }
        #expect(places.load.waiting == 0)
        for _ in 0..<held { places.giveBack(share) }
        #expect(await fill(places, share) == held)
    }

    @Test("no place is lost or given twice under load, deadlines and cancellations")
    func nothingLost() async {
        let places = ApplePlaces(6)
        let inside = Atomic(0)
        let most = Atomic(0)
        let shares = (0..<5).map { _ in Self.share() }
        await withTaskGroup(of: Void.self) { calls in
            for number in 0..<2000 {
                calls.addTask { @Sendable in
                    let call = Task { @Sendable in
                        try await places.take(shares[number % 5], by: .now + (number % 7 == 0 ? .milliseconds(1) : .seconds(600)))
                        let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
                        most.max(now, ordering: .sequentiallyConsistent)
                        await Task.yield()
                        inside.subtract(1, ordering: .sequentiallyConsistent)
                        places.giveBack(shares[number % 5])
                    }
                    if number % 11 == 0 { call.cancel() }
                    _ = try? await call.value
                }
            }
        }
        #expect(most.load(ordering: .sequentiallyConsistent) <= 6)
        #expect(places.load.calls == 0)
        #expect(places.load.waiting == 0)
        #expect(await fill(places, Self.share()) == 2)
    }

    // MARK: Through the client

    @Test("the HTTP client has a connection for each call with a place: a hundred calls of one tenant reach Apple at once")
    func connections() async throws {
        let (credentials, path) = (AppleClientCredentials.make(), "/auth/token")
        try await FakeApple.run({ $0.timeout = .seconds(60) }) { apple, client in
            apple.answer(path, .held(#"{"access_token":"at","id_token":"it"}"#))
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for _ in 0..<100 {
                    calls.addTask { _ = try await client.redeem(code: "c", redirectURI: nil, credentials: credentials, at: Claims.now) }
                }
                await apple.waitForRequests(100)
                apple.release()
                try await calls.waitForAll()
            }
        }
    }

    @Test("every call with credentials takes a place of its connection, and a rejected one never reaches Apple")
    func everyCall() async throws {
        let (slow, other) = (AppleClientCredentials.make(), AppleClientCredentials.make())
        try await FakeApple.run({
            ($0.concurrency, $0.patience) = (4, .zero)
            $0.timeout = .seconds(60)
        }) { apple, client in
            apple.answer("/auth/token", .held(#"{"access_token":"at","id_token":"it"}"#))
            apple.answer("/auth/revoke", .empty)
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for _ in 0..<2 {
                    calls.addTask { _ = try await client.redeem(code: "c", redirectURI: nil, credentials: slow, at: Claims.now) }
                }
                await apple.waitForRequests(2)
                #expect(client.load.calls == 2)
                await #expect(throws: AppleError.busy) {
                    try await client.redeem(code: "c", redirectURI: nil, credentials: slow, at: Claims.now)
                }
                await #expect(throws: AppleError.busy) { try await client.revoke(token: "r", credentials: slow, at: Claims.now) }
                await #expect(throws: AppleError.busy) { try await client.probe(slow, at: Claims.now) }
                await #expect(throws: AppleError.busy) { try await client.migrationToken(slow, at: Claims.now) }
                await #expect(throws: UserMigrationError.failed(.busy)) {
                    try await client.transferSubject(of: "s", to: "T", MigrationToken(value: "t"), slow, at: Claims.now)
                }
                // A call of another tenant passes.
                try await client.revoke(token: "r", credentials: other, at: Claims.now)
                #expect(apple.requests("/auth/revoke").count == 1)
                #expect(apple.requests("/auth/token").count == 2)
                apple.release()
                try await calls.waitForAll()
            }
            #expect(client.load.calls == 0)
        }
    }
}
