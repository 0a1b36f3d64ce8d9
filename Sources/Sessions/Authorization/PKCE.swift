import Crypto
import Encoding
import Foundation
import Sealing
import Tenancy

/// Proof Key for Code Exchange (RFC 7636), S256 only.
package enum PKCE {
    /// Whether a text is 32 bytes in base64url, without padding.
    package static func isChallenge(_ text: String) -> Bool {
        text.utf8.count == 43 && text.utf8.allSatisfy { isUnreserved($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "~") }
    }

    /// Whether the challenge is the hash of this verifier (section 4.6).
    package static func verify(_ verifier: String, against challenge: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(isUnreserved) else { return false }
        let hash = Array(SHA256.hash(data: Data(verifier.utf8))).base64URL
        return constantTimeEqual(Array(hash.utf8), Array(challenge.utf8))
    }

    /// The next step for a developer whose request has no challenge, or one with another method.
    /// - Parameter slug: the tenant's slug.
    static func advice(to application: Application, of slug: String) -> String {
        let advice = "Turn on PKCE with S256 in the client library"
        guard application.kind.isConfidential else {
            return "\(advice). An application of kind \(application.kind.rawValue) always needs it."
        }
        guard application.requiresPKCE else { return "\(advice), or send neither code_challenge nor code_challenge_method." }
        return "\(advice), or set requires_pkce to false: espalierctl applications update \(application.id) --tenant \(slug) --no-pkce"
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
