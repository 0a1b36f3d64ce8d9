import Crypto
import Encoding
import Foundation

/// The SHA-256 thumbprint of a public key, in base64url (RFC 7638; `jkt` in RFC 9449, section 6.1). It is public.
package struct KeyThumbprint: Hashable, Sendable {
    package let text: String

    /// - Parameter json: the required members of the key, in their order and without spaces.
    init(ofCanonical json: String) {
        text = Array(SHA256.hash(data: Data(json.utf8))).base64URL
    }

    /// Reads a thumbprint. Nil unless it is 32 bytes in canonical base64url.
    package init?(_ text: String) {
        guard let bytes = [UInt8](base64URL: text), bytes.count == 32, bytes.base64URL.isSame(as: text) else { return nil }
        self.text = text
    }

    package static func == (one: KeyThumbprint, other: KeyThumbprint) -> Bool {
        one.text.isSame(as: other.text)
    }
}
