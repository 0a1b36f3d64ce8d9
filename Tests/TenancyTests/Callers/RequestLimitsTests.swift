import Foundation
import Server
import TestSupport
import Testing
import Web

@testable import Tenancy

@Suite("Request limits")
struct RequestLimitsTests {
    @Test("answers say what is left, refusals too, and too many requests are told when to come back")
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
            // Another key's is another bucket.
            #expect(try await platform.letsIn(platform.acme.api_keys[0].secret))
        }
    }

    @Test("who guesses is slowed by address, before the database is asked; a key in use goes on")
    func guesses() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let (known, unseen) = (platform.acme.api_keys[0].secret, platform.acme.api_keys[1].secret)
            #expect(try await platform.letsIn(known))
            let wrong = try await platform.call("GET", "/tenants/acme", key: "esk_live_0123456789012345678901234567890rUOfi")
            #expect(wrong.status == 401)
            #expect(wrong.header("RateLimit-Policy") == "\"address\";q=1;w=60")
            let slowed = try await eventually("it is slowed") {
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

    @Test("a tenant's keys have a limit together, however many it makes; an operator's and another tenant's go on")
    func together() throws {
        let clock = ContinuousClock.now
        let limits = RequestLimits(perMinute: 2) { clock }
        func count(_ owner: UUID) throws { try limits.count(Caller(key: ID(at: .now), scopes: [], owner: owner), RequestRecord()) }
        let tenant = UUID()
        for _ in 1...20 { try count(tenant) }
        #expect(throws: Problem.self) { try count(tenant) }
        try count(UUID())
        for _ in 1...30 { try count(.platform) }
    }
}
