@testable import Access
import Foundation
import HTTPTypes
import Server
import Synchronization
import TestSupport
import Testing
import Web

@Suite("Request limits")
struct RequestLimitsTests {
    @Test("responses and refusals contain the remaining limit, and a refusal for too many requests contains the wait")
    func limited() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 5
        } _: { platform in
            let first = try await platform.call("GET", "/tenants/acme")
            #expect(first.header("RateLimit-Policy") == "\"default\";q=5;w=60")
            #expect(first.header("RateLimit") == "\"default\";r=4;t=12")
            let refusal = try await platform.call("GET", "/tenants/nobody")
            #expect(refusal.status == 404 && refusal.header("RateLimit")?.hasPrefix("\"default\";r=") == true)
            let empty = try await eventually("nothing is left") {
                let answer = try await platform.call("GET", "/tenants/acme")
                return answer.status == 429 ? answer : nil
            }
            #expect(empty.isProblem(429, "rate_limited"))
            #expect(empty.header("RateLimit")?.hasPrefix("\"default\";r=0;t=") == true)
            #expect((1...12).contains(Int(try #require(empty.header("Retry-After"))) ?? 0))
            // Another key has another bucket.
            #expect(try await platform.letsIn(platform.acme.api_keys[0].secret))
        }
    }

    @Test("guesses are limited by address before the database is asked, and a key in use still works")
    func guesses() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let (known, unseen) = (platform.acme.api_keys[0].secret, platform.acme.api_keys[1].secret)
            #expect(try await platform.letsIn(known))
            let wrong = try await platform.call("GET", "/tenants/acme", key: "esk_live_0123456789012345678901234567890rUOfi")
            #expect(wrong.status == 401)
            #expect(wrong.header("RateLimit-Policy") == "\"address\";q=1;w=60")
            let slowed = try await eventually("the address is limited") {
                let answer = try await platform.call("GET", "/tenants/acme", key: "guess")
                return answer.status == 429 ? answer : nil
            }
            #expect(slowed.isProblem(429, "rate_limited") && slowed.header("Retry-After") != nil)
            #expect(try await platform.call("GET", "/tenants/acme", key: unseen).status == 429)
            #expect(try await platform.letsIn(known))
        }
    }

    @Test("a network is an IPv4 address or an IPv6 /64")
    func networks() {
        let limits = CallerNetwork.of
        #expect(limits("192.0.2.1") == "192.0.2.1")
        #expect(limits("2001:db8:0:1::1") == limits("2001:db8:0:1:ffff::2"))
        #expect(limits("2001:db8:0:1::1") != limits("2001:db8:0:2::1"))
        #expect(limits("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(limits("::ffff:192.0.2.1") != limits("::ffff:192.0.2.2"))
        #expect(limits(nil) == "")
    }

    @Test("all keys of a tenant share a limit, and operators and other tenants still have their own")
    func together() throws {
        let clock = ContinuousClock.now
        let limits = RequestLimits(perMinute: 2) { clock }
        func count(_ owner: UUID) throws {
            try limits.count(Caller(.key(ID(at: .now)), scopes: [], owner: owner, authenticatedAt: nil), RequestRecord())
        }
        let tenant = UUID()
        for _ in 1...20 { try count(tenant) }
        #expect(throws: Problem.self) { try count(tenant) }
        try count(UUID())
        for _ in 1...30 { try count(.platform) }
    }

    private static func record() -> RequestRecord {
        let record = RequestRecord()
        record.note(address: "192.0.2.1")
        return record
    }

    @Test("150 parallel requests with unknown names make as many look-ups as the address has tokens")
    func parallel() async throws {
        let now = ContinuousClock.now
        let limits = RequestLimits(perMinute: 20) { now }
        let (entered, refused) = (Counter(), Counter())
        await withTaskGroup { group in
            for number in 1...150 {
                group.addTask {
                    let record = Self.record()
                    do {
                        let found = try await limits.lookUp("name-\(number)", record) { () async throws -> Int? in
                            entered.add()
                            // No look-up ends before all requests are decided.
                            while entered.value + refused.value < 150 { await Task.yield() }
                            return nil
                        }
                        #expect(found == nil && record.current.isCharged)
                        // The failure of the request costs nothing more.
                        try limits.charge(record)
                    } catch {
                        #expect(error is TooManyRequests)
                        #expect(record.current.headers[.retryAfter] == "30")
                        refused.add()
                    }
                }
            }
        }
        #expect((entered.value, refused.value) == (2, 148))
    }

    @Test("parallel requests for one existing name pay once, and get the token back")
    func parallelKnown() async throws {
        let now = ContinuousClock.now
        let limits = RequestLimits(perMinute: 10) { now }
        let entered = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 1...150 {
                group.addTask {
                    let found = try await limits.lookUp("acme", Self.record()) { () async throws -> Int? in
                        entered.add()
                        while entered.value < 150 { await Task.yield() }
                        return 1
                    }
                    #expect(found == 1)
                }
            }
            try await group.waitForAll()
        }
        for number in 1...10 { #expect(try await limits.lookUp("\(number)", Self.record()) { 1 } == 1) }
        try limits.charge(Self.record())
        #expect(throws: TooManyRequests.self) { try limits.charge(Self.record()) }
    }

    @Test("a failed look-up or an unknown name costs one token, once per request")
    func failed() async throws {
        let now = ContinuousClock.now
        let limits = RequestLimits(perMinute: 20) { now }
        let (failed, missing) = (Self.record(), Self.record())
        for _ in 1...2 {
            await #expect(throws: CocoaError.self) {
                try await limits.lookUp("acme", failed) { () async throws -> Int? in throw CocoaError(.fileNoSuchFile) }
            }
            #expect(try await limits.lookUp("nobody", missing) { nil as Int? } == nil)
        }
        try limits.charge(missing)
        await #expect(throws: TooManyRequests.self) { try await limits.lookUp("acme", Self.record()) { 1 } }
    }

    @Test("a tenant's keys share a limit of changes per minute, and each 8 KiB of a body counts as one more")
    func changes() throws {
        let now = ContinuousClock.now
        let limits = RequestLimits(perMinute: 1000, changesPerMinute: 10) { now }
        let (small, large) = (UUID(), UUID())
        func change(_ owner: UUID, bytes: Int?) throws {
            try limits.countChange(
                Caller(.key(ID(at: .now)), scopes: [], owner: owner, authenticatedAt: nil), bytes: bytes, RequestRecord())
        }
        for _ in 1...10 { try change(small, bytes: 8191) }
        #expect(throws: Problem.self) { try change(small, bytes: 0) }
        // They count as 5, 2 and 2 changes.
        try change(large, bytes: 33_000)
        for _ in 1...2 { try change(large, bytes: 8192) }
        #expect(throws: Problem.self) { try change(large, bytes: 8192) }
        try change(large, bytes: 0)
        // A body whose length is not known counts as the largest one.
        try change(UUID(), bytes: nil)
        let unknown = UUID()
        try change(unknown, bytes: nil)
        #expect(throws: Problem.self) { try change(unknown, bytes: 8192) }
        for _ in 1...20 { try change(.platform, bytes: nil) }
    }

    @Test("a wait is 1 second or several seconds")
    func wait() {
        #expect(TooManyRequests(retryAfter: 1).wait == "1 second")
        #expect(TooManyRequests(retryAfter: 2).wait == "2 seconds")
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    var value: Int { count.withLock { $0 } }
}
