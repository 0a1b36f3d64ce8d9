import Foundation
import NIOHTTP1
import Server
import Tenancy
import TestSupport
import Testing

// The modules that need a session in the browser. A tenant's applications share one with single sign-on.
extension BasicPlanTests {
    private static func run(_ body: @Sendable @escaping (RelyingParty) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(try await RelyingParty(platform))
        }
    }

    /// A login of the same browser without Apple.
    private static func silent(_ party: RelyingParty, _ changes: [String: String?]) async throws -> RelyingParty.Login {
        let answer = try await party.authorize(changes)
        return try await party.login(code: try #require(answer["code"], "\(answer.location ?? answer.body)"), nonce: party.request.nonce)
    }

    @Test("oidcc-prompt-none-logged-in, with single sign-on: the user is signed in again, with the same sub and auth_time")
    func promptNoneWithSession() async throws {
        try await Self.run { party in
            let first = try await party.login()
            let second = try await Self.silent(party, ["prompt": "none"])
            #expect(second.subject == first.subject)
            #expect(second.authTime == first.authTime)
        }
    }

    @Test("oidcc-max-age-10000, with single sign-on: the second sign-in is silent, and has the same auth_time")
    func maxAge10000WithSession() async throws {
        try await Self.run { party in
            let time = try await party.setAppleAuthentication(secondsAgo: 9_000)
            let first = try await party.login()
            let second = try await Self.silent(party, ["max_age": "10000"])
            #expect(first.authTime == time && second.authTime == time)
            #expect(second.subject == first.subject)
        }
    }

    @Test("oidcc-max-age-1, with single sign-on: the user signs in at Apple again")
    func maxAge1WithSession() async throws {
        try await Self.run { party in
            _ = try await party.setAppleAuthentication(secondsAgo: 7)
            let first = try await party.login(person: "Ada Lovelace")
            let second = try await party.login(["max_age": "1"], person: "Ada Lovelace")
            #expect(second.authTime > first.authTime)
            #expect(second.subject == first.subject)
        }
    }

    @Test("oidcc-prompt-login, with single sign-on: the user signs in at Apple again")
    func promptLoginWithSession() async throws {
        try await Self.run { party in
            _ = try await party.setAppleAuthentication(secondsAgo: 7)
            let first = try await party.login(person: "Ada Lovelace")
            let second = try await party.login(["prompt": "login"], person: "Ada Lovelace")
            #expect(second.authTime > first.authTime)
        }
    }

    @Test("oidcc-id-token-hint, with single sign-on: prompt=none succeeds for the user of the hint")
    func idTokenHintWithSession() async throws {
        try await Self.run { party in
            let first = try await party.login(person: "Ada Lovelace")
            let hint = try #require(first.answer.string("id_token"))
            let second = try await Self.silent(party, ["prompt": "none", "id_token_hint": hint])
            #expect(second.subject == first.subject)
        }
    }
}
