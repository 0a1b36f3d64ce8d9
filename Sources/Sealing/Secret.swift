/// A string or bytes that never print.
///
/// Interpolation, `print`, `dump`, `String(reflecting:)` and logger metadata all show `<secret>`. It is not
/// `Encodable`, so it cannot get into a response. Only explicitly named methods return the content, so every use is
/// easy to find. Comparison takes constant time.
package struct Secret: Sendable, Equatable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// True for a secret without bytes. No caller should accept it as a secret.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Returns the content as text. U+FFFD replaces bytes that are not UTF-8.
    package func reveal() -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the content as bytes.
    package func revealBytes() -> [UInt8] {
        bytes
    }

    package static func == (left: Secret, right: Secret) -> Bool {
        constantTimeEqual(left.bytes, right.bytes)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    /// No children, because `dump` and reflecting encoders would otherwise reach the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
