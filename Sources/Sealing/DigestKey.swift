import Crypto
package import Foundation

/// The keys for the digests and MACs of an installation. They are stored sealed under a master key, and no master key determines them.
///
/// An imported digest key consists of the two keys that a version without digest keys derived from a master key. It verifies the
/// values that this version issued.
package struct DigestKey: Sendable {
    package let id: KeyID
    /// The time from which new values use this key, if it is random. Nil for an imported key.
    package let start: Date?
    let digests: MACKey
    let macs: MACKey
    /// Only a random key binds digests to rows, because an imported one is known to the holder of an old master key.
    let bindings: MACKey?
    private let secret: [UInt8]

    private static let secretByteCount = 32

    /// A new random key.
    /// - Parameter start: To the second.
    package static func generate(start: Date) -> DigestKey {
        let secret = SymmetricKey(size: .bits256).withUnsafeBytes(Array.init)
        return DigestKey(random: secret, start: Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down)))
    }

    private init(random secret: [UInt8], start: Date) {
        func derive(_ use: String, _ byteCount: Int = 32) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret), info: Array("espalier/digest-key/1/\(use)".utf8), outputByteCount: byteCount)
        }
        guard let id = KeyID(derive("key-id", KeyID.byteCount).withUnsafeBytes(Array.init)) else {
            preconditionFailure("HKDF returns the requested number of bytes")
        }
        (self.id, self.start, self.secret) = (id, start, secret)
        (digests, macs, bindings) = (MACKey(derive("digests")), MACKey(derive("macs")), MACKey(derive("bindings")))
    }

    /// Imports the keys of a master key. Its tokens carry that key's ID.
    init(_ keys: DerivedKeys) {
        self.init(imported: keys.digests.withUnsafeBytes(Array.init) + keys.macs.withUnsafeBytes(Array.init), id: keys.id)
    }

    /// - Parameter secret: The key for digests, then the key for MACs.
    private init(imported secret: [UInt8], id: KeyID) {
        (self.id, start, bindings, self.secret) = (id, nil, nil, secret)
        digests = MACKey(SymmetricKey(data: secret.prefix(Self.secretByteCount)))
        macs = MACKey(SymmetricKey(data: secret.suffix(Self.secretByteCount)))
    }

    // MARK: Sealed form

    /// A kind (1 random, 2 imported) and its content. The seal covers everything, so that nobody without the master key can
    /// change a start or pass an imported key as a random key.
    package var plaintext: [UInt8] {
        guard let start else { return [2] + secret }
        let seconds = Int64(start.timeIntervalSince1970)
        return [1] + withUnsafeBytes(of: seconds.bigEndian, Array.init) + secret
    }

    /// - Throws: `malformed` for anything that `plaintext` does not return.
    package init(_ plaintext: [UInt8], id: KeyID) throws(SealingError) {
        let content = Array(plaintext.dropFirst())
        switch (plaintext.first, content.count) {
        case (1, 8 + Self.secretByteCount):
            let seconds = content.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            self.init(random: Array(content.dropFirst(8)), start: Date(timeIntervalSince1970: TimeInterval(seconds)))
            guard self.id == id else { throw .malformed }
        case (2, 2 * Self.secretByteCount):
            self.init(imported: content, id: id)
        default: throw .malformed
        }
    }
}

extension DigestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
