import Crypto
import Foundation

/// A sign-in in progress. Its secrets never leave the application.
struct LoginAttempt: Sendable {
    var slug: String
    var startedAt: Date
    /// Sent to Espalier and returned. It proves that the response belongs to this browser.
    var state: String = .random()
    /// Returned inside the id_token. It proves that the token belongs to this sign-in.
    var nonce: String = .random()
    /// Sent when the code is redeemed (PKCE, RFC 7636). A stolen code is useless without it.
    var verifier: String = .random()

    /// The hash of the verifier that Espalier receives first (S256).
    var challenge: String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
    }
}

extension String {
    /// 256 random bits in base64url, 43 characters.
    static func random() -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64URL
    }
}
