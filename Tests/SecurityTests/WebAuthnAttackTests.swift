import Foundation
import Postgres
import TestSupport
import Testing

/// An attacker signs in with something that is not the passkey of the person.
@Suite("Attack: passkeys")
struct WebAuthnAttackTests {
    /// Ada with a passkey, and a browser without a session.
    private static func ada(_ platform: TestPlatform) async throws -> (PersonClient, SoftwareAuthenticator) {
        var ada = PersonClient(platform)
        try await ada.register()
        var authenticator = SoftwareAuthenticator()
        authenticator.userHandle = withUnsafeBytes(of: try #require(try await ada.id()).uuid, Array.init)
        authenticator.signCount = 5
        try await ada.addPasskey(authenticator)
        ada.browser = TestBrowser(platform)
        return (ada, authenticator)
    }

    /// Tries a changed authenticator.
    private static func refused(_ change: @Sendable @escaping (inout SoftwareAuthenticator) -> Void) async throws {
        try await TestPlatform.run { platform in
            var (ada, authenticator) = try await Self.ada(platform)
            authenticator.signCount = 6
            change(&authenticator)
            let page = try await ada.open("/sign-in/passkey")
            let answer = try await ada.usePasskey(try authenticator.assertion(try #require(PersonClient.challenge(page))), from: page)
            #expect(answer.status == 400 && answer.body.contains("The passkey was not accepted."), "\(answer.status)")
            #expect(ada.secret == nil)
            #expect(try await platform.count("passkey", where: "sign_count = 5") == 1)
        }
    }

    @Test("a response counts once, also for the same challenge in a kept cookie")
    func replayedAssertion() async throws {
        try await TestPlatform.run { platform in
            var (ada, authenticator) = try await Self.ada(platform)
            authenticator.signCount = 6
            let page = try await ada.open("/sign-in/passkey")
            let cookies = ada.browser.cookies
            let challenge = try #require(PersonClient.challenge(page))
            #expect(try await ada.usePasskey(try authenticator.assertion(challenge), from: page).location == "/account")
            authenticator.signCount = 7
            ada.browser = TestBrowser(platform)
            ada.browser.cookies = cookies
            #expect(try await ada.usePasskey(try authenticator.assertion(challenge), from: page).status == 400)
            #expect(ada.secret == nil)
        }
    }

    @Test("a response for the page of another origin")
    func otherOrigin() async throws { try await Self.refused { $0.origin = "https://login.test.evil.test" } }

    @Test("a response for another relying party")
    func otherRelyingParty() async throws { try await Self.refused { $0.rpID = "evil.test" } }

    @Test("a response without a verification of the person")
    func withoutUserVerification() async throws { try await Self.refused { $0.flags &= ~0b100 } }

    @Test("a counter that goes back is recorded as a possible clone")
    func counterGoesBack() async throws {
        try await TestPlatform.run { platform in
            var (ada, authenticator) = try await Self.ada(platform)
            for count in [UInt32(5), 4, 0] {
                authenticator.signCount = count
                let page = try await ada.open("/sign-in/passkey")
                let assertion = try authenticator.assertion(try #require(PersonClient.challenge(page)))
                #expect(try await ada.usePasskey(assertion, from: page).status == 400)
            }
            #expect(try await platform.count("audit_event", where: "action = 'passkey.possible_clone'") == 3)
            ada.browser = TestBrowser(platform)
            #expect(ada.secret == nil)
        }
    }

    @Test("a passkey signs nobody in but its own person")
    func otherPersonsCredential() async throws {
        try await TestPlatform.run { platform in
            var (ada, authenticator) = try await Self.ada(platform)
            var mallory = PersonClient(platform, "mallory@example.com")
            try await mallory.register()
            let own = authenticator.userHandle
            authenticator.signCount = 6
            for handle in [withUnsafeBytes(of: try #require(try await mallory.id()).uuid, Array.init), nil, [], [1]] as [[UInt8]?] {
                authenticator.userHandle = handle
                let page = try await ada.open("/sign-in/passkey")
                let assertion = try authenticator.assertion(try #require(PersonClient.challenge(page)))
                #expect(try await ada.usePasskey(assertion, from: page).status == 400)
            }
            // Mallory's right password, and then Ada's passkey.
            authenticator.userHandle = own
            mallory.browser = TestBrowser(platform)
            _ = try await mallory.givePassword()
            let page = try await mallory.open("/sign-in/passkey")
            let assertion = try authenticator.assertion(try #require(PersonClient.challenge(page)))
            #expect(try await mallory.usePasskey(assertion, from: page).status == 400)
            #expect(ada.secret == nil && mallory.secret == nil)
        }
    }
}
