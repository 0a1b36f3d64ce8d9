import Foundation

extension Data {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    ///
    /// The OpenID client here does not use `Encoding`, because it shows the work of an application outside. A fuzz target compares both.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url; nil for any other text. Each byte string has exactly one spelling. Foundation alone also accepts non-zero
    /// unused bits in the last character, and the standard alphabet.
    init?(base64URL text: some StringProtocol) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(base64Encoded: String(text).replacing("-", with: "+").replacing("_", with: "/") + padding)
        guard base64URL.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
