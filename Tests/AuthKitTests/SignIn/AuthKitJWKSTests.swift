import Crypto
import Encoding
import Foundation
import JWTKit
import Server
import Testing
import TestSupport

@Suite("AuthKit JWKS")
struct AuthKitJWKSTests {
    private struct Anything: JWTPayload {
        func verify(using _: some JWTAlgorithm) {}
    }

    @Test("the keys verify the access token, and openssl verifies each certificate")
    func keys() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            #expect(try await client.jwks().body == #"{"keys":[]}"#)
            let session = try await client.login()
            let answer = try await client.jwks()
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "public, max-age=300")
            #expect(answer.header("X-Request-ID") != nil)
            _ = try await JWTKeyCollection().add(jwksJSON: answer.body).verify(session.accessToken, as: Anything.self)

            let keys = try #require(answer.json["keys"] as? [[String: any Sendable]])
            #expect(keys.count == 2)
            #expect(keys.contains { $0["kid"] as? String == (try? jwtHeader(session.accessToken))?["kid"] })
            for key in keys {
                #expect(Set(key.keys) == ["alg", "kty", "use", "x5c", "n", "e", "kid", "x5t#S256"])
                let base64 = try #require((key["x5c"] as? [String])?.first)
                let certificate = try #require(Data(base64Encoded: base64))
                #expect(key["x5t#S256"] as? String == Array(SHA256.hash(data: certificate)).base64URL)
                let folder = try TemporaryFolder()
                let file = try folder.write("certificate.pem", "-----BEGIN CERTIFICATE-----\n\(lines(base64))-----END CERTIFICATE-----\n")
                let shown = try await Program.run(
                    ["x509", "-in", file, "-noout", "-subject", "-issuer", "-enddate", "-modulus"], of: URL(filePath: "/usr/bin/openssl"))
                #expect(shown.code == 0, "\(shown.errors)")
                let kid = try #require(key["kid"] as? String)
                #expect(shown.output.contains("subject=CN = \(kid)") || shown.output.contains("subject=CN=\(kid)"), "\(shown.output)")
                #expect(shown.output.contains("notAfter=Dec 31 23:59:59 9999 GMT"))
                let modulus = try #require([UInt8](base64URL: key["n"] as? String ?? ""))
                #expect(shown.output.contains("Modulus=" + modulus.map { String(format: "%02X", $0) }.joined()))
                let verified = try await Program.run(
                    ["verify", "-check_ss_sig", "-CAfile", file, file], of: URL(filePath: "/usr/bin/openssl"))
                #expect(verified.code == 0, "\(verified.errors)")
            }
            // Another process calculates the same certificates.
            #expect(try await client.jwks().body == answer.body)
        }
    }

    private func lines(_ base64: String) -> String {
        stride(from: 0, to: base64.count, by: 64).map { base64.dropFirst($0).prefix(64) + "\n" }.joined()
    }

    @Test("an unknown client gets 404")
    func unknown() async throws {
        try await TestPlatform.run { platform in
            for id in ["client_00000000000000000000000000", "x", platform.acme.id] {
                let answer = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/sso/jwks/\(id)")
                #expect(answer.isError(404, "entity_not_found"), "\(id): \(answer.body)")
            }
        }
    }
}
