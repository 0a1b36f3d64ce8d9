import Crypto
import Foundation
import Testing

@testable import Apple

@Suite("Apple's response to an invented code")
struct ProbeTests {
    private let path = "/auth/token"

    @Test("invalid_grant means that the client was accepted; any other OAuth error gives the reason")
    func answers() async throws {
        try await FakeApple.run { apple, client in
            for (error, refusal) in [
                ("invalid_grant", .invalidGrant), ("invalid_client", .invalidClient), ("unauthorized_client", .unauthorizedClient),
                ("new", .other),
            ] as [(String, OAuthErrorCode)] {
                apple.answer(path, .json(#"{"error":"\#(error)"}"#, status: 400))
                let probe = try await client.probe(.make(), at: Claims.now)
                #expect(probe.refusal == refusal)
                #expect(probe.isAccepted == (refusal == .invalidGrant))
                // The server uses this machine's clock.
                #expect(abs(try #require(probe.date).timeIntervalSinceNow) < 60)
            }
            var form = try #require(apple.requests(path).first).form
            #expect(form.removeValue(forKey: "client_secret")?.split(separator: ".").count == 3)
            #expect(form.removeValue(forKey: "code")?.isEmpty == false)
            #expect(form == ["grant_type": "authorization_code", "client_id": Claims.audience])
        }
    }

    @Test("an outage, an invalid response and a key that cannot sign are distinguished")
    func fails() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .html(503))
            await #expect(throws: AppleError.unavailable(status: 503)) { try await client.probe(.make(), at: Claims.now) }
            apple.answer(path, .json(#"{"access_token":"a","id_token":"b"}"#))
            await #expect(throws: AppleError.nonsense("a made-up code was redeemed")) { try await client.probe(.make(), at: Claims.now) }
            struct Lost: Error {}
            let unsigned = AppleClientCredentials(
                teamID: "T", clientID: "C", keyID: "K", keyVersion: "1", share: AppleShare(connection: UUID(), tenant: UUID())
            ) { throw Lost() }
            await #expect(throws: AppleError.unsigned) { try await client.probe(unsigned, at: Claims.now) }
        }
    }

    @Test(
        "a Date header is read only in the form that is still sent",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Mon, 01 Jan 2024 00:00:00 GMT", 1_704_067_200),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 +0000", nil), ("", nil), (nil, nil),
        ] as [(String?, Double?)])
    func dates(header: String?, seconds: Double?) {
        #expect(AppleProbe.date(header)?.timeIntervalSince1970 == seconds)
    }

    @Test("the SHA-256 of its public half identifies a key")
    func fingerprint() {
        let key = P256.Signing.PrivateKey()
        #expect(ApplePrivateKey(key).fingerprint == Array(SHA256.hash(data: key.publicKey.derRepresentation)))
    }
}
