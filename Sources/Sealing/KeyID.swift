import Encoding

/// The short public name of a master key or of a digest key: 4 bytes derived from the key, which reveal nothing about
/// it.
///
/// Every sealed or signed value contains it, so that a keyring finds the right key without trying all keys.
package struct KeyID: Sendable, Hashable {
    package static let byteCount = 4

    package let bytes: [UInt8]

    /// Nil unless there are exactly four bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

extension KeyID: CustomStringConvertible {
    /// Eight hexadecimal digits, as `espalier master-keys status` prints them.
    package var description: String {
        bytes.hexadecimal
    }
}
