/// A sealed value as it is stored: version (1 byte), key id (4), nonce (24), ciphertext, tag (16).
///
/// The first half of the nonce derives a key for this one value, the second is AES-GCM's own (the idea of
/// C2SP's XAES-256-GCM). AES-GCM's 12 random bytes alone are safe for about 2³² values under one key, which a busy
/// service's login attempts and codes would reach within a year; 24 are safe for any number of them.
package struct Sealed: Sendable, Hashable {
    package var bytes: [UInt8]

    /// Takes bytes as they were stored; whether they open is found out by opening them.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Sealed {
    static let version: UInt8 = 1
    static let saltByteCount = 12
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// Where each part begins.
    static let saltStart = 1 + KeyID.byteCount
    static let nonceStart = saltStart + saltByteCount
    static let ciphertextStart = nonceStart + nonceByteCount

    /// The bytes that sealing adds to a plaintext.
    static let overhead = ciphertextStart + tagByteCount

    /// The master key it was sealed under, by its id; nil if this is not a sealed value of a version we know.
    var keyID: KeyID? {
        guard bytes.count >= Self.overhead else { return nil }
        return Self.keyID(ofHead: Array(bytes[..<Self.saltStart]))
    }

    /// How many bytes at the start name the master key.
    package static let headByteCount = saltStart

    /// The bytes at the start of every value that is sealed under this key.
    package static func head(of key: KeyID) -> [UInt8] { [version] + key.bytes }

    /// The master key's ID in the first `headByteCount` bytes. Nil for a version that we do not know.
    package static func keyID(ofHead head: [UInt8]) -> KeyID? {
        guard head.count == headByteCount, head[0] == version else { return nil }
        return KeyID(Array(head[1...]))
    }
}
