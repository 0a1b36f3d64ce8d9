import Crypto
import Encoding
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
                #expect(ada.secret == nil)
            }
            #expect(try await platform.count("audit_event", where: "action = 'passkey.possible_clone'") == 3)
            #expect(try await platform.count("passkey", where: "sign_count = 5") == 1)
            // In the same browser, the next count signs in.
            authenticator.signCount = 6
            let page = try await ada.open("/sign-in/passkey")
            let assertion = try authenticator.assertion(try #require(PersonClient.challenge(page)))
            #expect(try await ada.usePasskey(assertion, from: page).location == "/account")
            #expect(ada.secret != nil)
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

    @Test("a new passkey with another algorithm, or with a key that is none")
    func wrongAlgorithmOrKey() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
            let (x, y) = (Array(point[1...32]), Array(point[33...]))
            func key(_ algorithm: Int, type: Int = 2, x: [UInt8], y: [UInt8]) -> CBOR {
                .map([
                    (.int(1), .int(type)), (.int(3), .int(algorithm)), (.int(-1), .int(1)), (.int(-2), .bytes(x)), (.int(-3), .bytes(y)),
                ])
            }
            let zero = [UInt8](repeating: 0, count: 32)
            let keys: [(String, CBOR)] = [
                (
                    "RS256",
                    .map([
                        (.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes([UInt8](repeating: 0xC5, count: 256))),
                        (.int(-2), .bytes([1, 0, 1])),
                    ])
                ),
                ("none", key(0, x: x, y: y)), ("HS256", key(5, x: x, y: y)), ("ES384", key(-35, x: x, y: y)),
                ("EdDSA of a P-256 key", key(-8, x: x, y: y)), ("ES256 of another type", key(-7, type: 1, x: x, y: y)),
                ("off the curve", key(-7, x: x, y: Array(y.dropLast()) + [y[31] ^ 1])), ("zero", key(-7, x: zero, y: zero)),
                ("short", key(-7, x: Array(x.dropLast()), y: y)), ("no map", .bytes(x)),
                (
                    "weak",
                    .map([(.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), .bytes([1] + zero.dropLast()))])
                ),
            ]
            func add(_ authenticator: SoftwareAuthenticator) async throws -> TestBrowser.Answer {
                let page = try await ada.open("/new-passkey")
                let made = authenticator.registration(try #require(PersonClient.challenge(page)))
                return try await ada.send(
                    "/new-passkey",
                    [
                        ("name", "Phone"), ("client_data", made.clientData.base64URL),
                        ("attestation_object", made.attestationObject.base64URL), ("transports", "internal"),
                    ], from: page)
            }
            for (what, key) in keys {
                var authenticator = SoftwareAuthenticator()
                authenticator.publicKey = key.encoded
                let answer = try await add(authenticator)
                #expect(answer.status == 400 && answer.body.contains("The passkey was not added."), "\(what): \(answer.status)")
            }
            #expect(try await platform.count("passkey") == 0)
            #expect(try await add(SoftwareAuthenticator()).location == "/account/passkeys")
        }
    }
}
