import Apple
import Crypto
import Foundation
import Testing

@Suite("Apple private key")
struct ApplePrivateKeyTests {
    @Test(
        "a .p8 file is read with any line ends and any surrounding text",
        arguments: [
            TestKeys.p256, TestKeys.p256 + "\n", "\u{FEFF}\n\n" + TestKeys.p256,
            TestKeys.p256.replacing("\n", with: "\r\n"), TestKeys.p256.replacing("\n", with: "\r"),
            TestKeys.p256.replacing("\n", with: "  \n  "), "Key for example.com\n" + TestKeys.p256 + "\nthe end\n",
            TestKeys.certificate + "\n" + TestKeys.p256, TestKeys.p256SEC1,
        ])
    func reads(pem: String) async throws {
        let key = try ApplePrivateKey(pem: pem)
        let credentials = AppleClientCredentials(
            teamID: "T", clientID: "C", keyID: "K", keyVersion: "1", share: AppleShare(connection: UUID(), tenant: UUID())
        ) { key }
        let secret = try await ClientSecret.mint(for: credentials, audience: "a", at: Claims.now)
        #expect(secret.split(separator: ".").count == 3)
    }

    @Test("a key written by swift-crypto is read")
    func readsWritten() throws {
        _ = try ApplePrivateKey(pem: P256.Signing.PrivateKey().pemRepresentation)
    }

    @Test(
        "a file that is not an Apple key is rejected with the reason",
        arguments: [
            ("", .notPEM),
            ("hello", .notPEM),
            (TestKeys.p256.split(separator: "\n").dropFirst().joined(separator: "\n"), .notPEM),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", .notPEM),
            (TestKeys.p256Encrypted, .encrypted),
            (TestKeys.p256SEC1Encrypted, .encrypted),
            (P256.Signing.PrivateKey().publicKey.pemRepresentation, .publicKey),
            (TestKeys.certificate, .certificate),
            (TestKeys.rsa1, .rsa),
            (TestKeys.rsaTraditional, .rsa),
            (P384.Signing.PrivateKey().pemRepresentation, .wrongCurve),
            (P521.Signing.PrivateKey().pemRepresentation, .wrongCurve),
            (TestKeys.secp256k1, .wrongCurve),
            (TestKeys.ed25519, .wrongCurve),
            (TestKeys.p256.split(separator: "\n").dropLast().joined(separator: "\n"), .damaged),
            (TestKeys.p256.replacing("MIGH", with: "MIG"), .damaged),
            ("-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----", .damaged),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .damaged),
            ("-----BEGIN PRIVATE KEY-----\n" + TestKeys.p256.split(separator: "\n")[1] + "\n-----END PRIVATE KEY-----", .damaged),
        ] as [(String, ApplePrivateKey.Refusal)])
    func refuses(pem: String, refusal: ApplePrivateKey.Refusal) {
        #expect(throws: refusal) { try ApplePrivateKey(pem: pem) }
    }

    @Test("neither a key nor a refusal prints any part of the file")
    func neverPrints() throws {
        let key = try ApplePrivateKey(pem: TestKeys.p256)
        var text = "\(key) \(String(reflecting: key)) \(ApplePrivateKey.Refusal.damaged)"
        dump(key, to: &text)
        for line in TestKeys.p256.split(separator: "\n").dropFirst().dropLast() { #expect(!text.contains(line)) }
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
