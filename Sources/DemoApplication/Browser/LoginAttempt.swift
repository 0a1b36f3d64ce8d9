import Crypto
import Foundation

/// A sign-in between pressing the button and coming back. What is secret in it never leaves the application.
struct LoginAttempt: Sendable {
    var slug: String
    var startedAt: Date
    /// Travels to Espalier and back, and so proves that the answer belongs to this browser.
    var state: String = .random()
    /// Comes back inside the id_token, and so proves that the token belongs to this sign-in.
    var nonce: String = .random()
    /// Shown when the code is redeemed (PKCE, RFC 7636): a stolen code is worth nothing without it.
    var verifier: String = .random()

    /// What Espalier is told of the verifier beforehand; S256.
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
