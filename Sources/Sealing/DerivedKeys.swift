import Crypto

/// The keys of one master key, one for each use, derived once (HKDF-SHA256, RFC 5869).
///
/// Each use has its own key, so a value sealed for one use cannot be presented to another.
struct DerivedKeys: Sendable {
    let id: KeyID
    let rows: MACKey
    let tokens: MACKey
    /// Only `DigestKey` uses these two. It imports them from an installation of the previous version.
    let digests: SymmetricKey
    let macs: SymmetricKey

    init(_ master: MasterKey) {
        let secret = SymmetricKey(data: master.bytes)
        func derive(_ use: String, _ byteCount: Int = 32) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Array("espalier/1/\(use)".utf8), outputByteCount: byteCount)
        }
        guard let id = KeyID(derive("key-id", KeyID.byteCount).withUnsafeBytes(Array.init)) else {
            preconditionFailure("HKDF returns the requested number of bytes")
        }
        self.id = id
        rows = MACKey(derive("rows"))
        tokens = MACKey(derive("tokens"))
        digests = derive("digests")
        macs = derive("macs")
    }
}
