/// The short public name of a master key or of a digest key: four bytes derived from it, which say nothing about it.
///
/// Whatever a keyring seals or signs carries it, so that the right key is found without trying all.
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
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
