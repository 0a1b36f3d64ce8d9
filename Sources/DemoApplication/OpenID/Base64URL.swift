import Foundation

extension Data {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes of a base64url text; nil when it isn't one. Bytes have one spelling: Foundation forgives the last character its unused
    /// bits, and takes the other alphabet, too.
    init?(base64URL text: some StringProtocol) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(base64Encoded: String(text).replacing("-", with: "+").replacing("_", with: "/") + padding)
        guard base64URL.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
