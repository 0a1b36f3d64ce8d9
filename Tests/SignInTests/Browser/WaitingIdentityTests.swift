import Access
@testable import Apple
import Encoding
import Foundation
import Sealing
@testable import Sessions
@testable import SignIn
import Server
import Tenancy
import TestSupport
import Testing
import Users
import Web

@Suite("Waiting identity")
struct WaitingIdentityTests {
    private let keyring: Keyring
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    private func attempt(_ platform: TestPlatform) async throws -> LoginAttempt {
        let acme = try await platform.configuration(of: platform.acme)
        let query = TestBrowser.Request(platform.acme).authorizeURL(changing: [:]).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        return LoginAttempt(asked, tenant: acme.tenant.id, connection: try #require(acme.connection).id, browserSecret: "s", at: now)
    }

    private func waiting(_ attempt: LoginAttempt, name: String? = "Ada", refreshToken: String? = "r.token") -> WaitingIdentity {
        WaitingIdentity(
            AppleTokens(accessToken: "a", idToken: "a.b.c", refreshToken: refreshToken), AppleUser(givenName: name, familyName: nil),
            address: "a@b.example", isNewConsent: true, of: attempt, after: "code", candidate: ID(at: now), at: now)
    }

    @Test("it opens unchanged for its attempt, with present and absent fields, for 15 minutes")
    func roundTrip() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform)
            for waiting in [waiting(attempt), waiting(attempt, name: nil, refreshToken: nil)] {
                let sealed = try #require(waiting.sealed(for: attempt.login, with: keyring))
                let opened = try #require(WaitingIdentity(opening: sealed, for: attempt, with: keyring, at: now + 899))
                #expect(opened.candidate == waiting.candidate && opened.askedAt == now && opened.isNewConsent)
                #expect(opened.name == waiting.name && opened.refreshToken == waiting.refreshToken && opened.address == "a@b.example")
                #expect(WaitingIdentity(opening: sealed, for: attempt, with: keyring, at: now + 900) == nil)
            }
        }
    }

    @Test("it belongs to one page, the response to one code of Apple or to none")
    func page() async throws {
        try await TestPlatform.run { [self] platform in
            let (attempt, other) = (try await attempt(platform), try await attempt(platform))
            let first = waiting(attempt)
            #expect(first.wasAsked(by: attempt, after: "code") && !first.wasAsked(by: other, after: "code"))
            for code in ["", "other", "code\u{301}"] { #expect(!first.wasAsked(by: attempt, after: code)) }
            let again = first.asked(by: other, after: "")
            #expect(again.wasAsked(by: other, after: "") && !again.wasAsked(by: other, after: "code"))
            #expect(!again.wasAsked(by: attempt, after: "code") && again.askedAt == first.askedAt)
        }
    }

    @Test("it opens for no other attempt, tenant, connection or key, and not altered")
    func refused() async throws {
        try await TestPlatform.run { [self] platform in
            let (attempt, other) = (try await attempt(platform), try await attempt(platform))
            let sealed = try #require(waiting(attempt).sealed(for: attempt.login, with: keyring))
            #expect(WaitingIdentity(opening: sealed, for: other, with: keyring, at: now) == nil)
            let foreign = try #require(waiting(other).sealed(for: attempt.login, with: keyring))
            // The second attempt is of the same tenant and connection, so only the seal differs.
            #expect(WaitingIdentity(opening: foreign, for: attempt, with: keyring, at: now) != nil)
            let otherKeys = try Keyring([.generate()])
            #expect(WaitingIdentity(opening: sealed, for: attempt, with: otherKeys, at: now) == nil)
            for text in ["", "x", sealed + "x", String(sealed.dropLast(3)), sealed + "\u{301}"] {
                #expect(WaitingIdentity(opening: text, for: attempt, with: keyring, at: now) == nil)
            }
        }
    }

    @Test("one that is too long for a cookie is not sealed")
    func tooLong() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform)
            let long = waiting(attempt, refreshToken: String(repeating: "r", count: 2600))
            #expect(long.sealed(for: attempt.login, with: keyring) == nil)
            let longest = waiting(attempt, refreshToken: String(repeating: "r", count: 2300))
            let sealed = try #require(longest.sealed(for: attempt.login, with: keyring))
            let cookie = AttemptCookie(attempt.login, publicURL: TestPlatform.publicURL).setWaiting(sealed)
            #expect(cookie.prefix { $0 != ";" }.utf8.count <= 4096)
        }
    }
}
