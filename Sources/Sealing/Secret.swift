/// A string or bytes that never prints.
///
/// Interpolation, `print`, `dump`, `String(reflecting:)` and a logger's metadata all say `<secret>`; it is not
/// `Encodable`, so that it cannot slip into a reply. What it holds is had by asking for it by name, which makes every
/// such place easy to find. Comparison takes constant time.
package struct Secret: Sendable, Equatable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// True for a secret of no bytes, which no caller should take for one.
    package var isEmpty: Bool { bytes.isEmpty }

    /// What it holds, as text; bytes that are not UTF-8 are replaced by U+FFFD.
    package func reveal() -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// What it holds, as bytes.
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
    /// Without children: `dump` and reflecting encoders would otherwise walk to the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
