/// A sealed value in its stored form: version (1 byte), key ID (4), nonce (24), ciphertext, tag (16).
///
/// The first half of the nonce derives a key for this one value. The second half is AES-GCM's nonce (the idea of
/// C2SP's XAES-256-GCM). AES-GCM's 12 random bytes alone are safe for about 2³² values per key. The login attempts
/// and codes of a busy service would reach this number within a year. 24 bytes are safe for any number of values.
package struct Sealed: Sendable, Hashable {
    package var bytes: [UInt8]

    /// Accepts stored bytes. Only opening them shows whether they are valid.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Sealed {
    static let version: UInt8 = 1
    static let saltByteCount = 12
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// The start of each part.
    static let saltStart = 1 + KeyID.byteCount
    static let nonceStart = saltStart + saltByteCount
    static let ciphertextStart = nonceStart + nonceByteCount

    /// The bytes that sealing adds to a plaintext.
    static let overhead = ciphertextStart + tagByteCount

    /// The ID of the master key that sealed the value; nil if this is not a sealed value of a known version.
    var keyID: KeyID? {
        guard bytes.count >= Self.overhead else { return nil }
        return Self.keyID(ofHead: Array(bytes[..<Self.saltStart]))
    }

    /// The number of bytes at the start that identify the master key.
    package static let headByteCount = saltStart

    /// The first bytes of every value sealed under this key.
    package static func head(of key: KeyID) -> [UInt8] { [version] + key.bytes }

    /// The master key's ID in the first `headByteCount` bytes. Nil for an unknown version.
    package static func keyID(ofHead head: [UInt8]) -> KeyID? {
        guard head.count == headByteCount, head[0] == version else { return nil }
        return KeyID(Array(head[1...]))
    }
}
