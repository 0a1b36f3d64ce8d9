import Foundation

extension Sequence<UInt8> {
    /// The bytes in base64url without padding (RFC 7515, section 2).
    var base64URL: String {
        Data(self).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes in lowercase hexadecimal.
    var hexadecimal: String {
        map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}

/// An unguessable string of `bytes` random bytes in base64url.
func randomToken(bytes: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.base64URL
}
