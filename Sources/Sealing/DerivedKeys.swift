import Crypto

/// The keys that one master key gives, each for one use, derived once (HKDF-SHA256, RFC 5869).
///
/// Separate uses have separate keys, so that nothing sealed for one can be presented to another.
struct DerivedKeys: Sendable {
    let id: KeyID
    let rows: SymmetricKey
    let tokens: SymmetricKey
    /// These two are for `DigestKey` only, which imports them from an installation of the version before it.
    let digests: SymmetricKey
    let macs: SymmetricKey

    init(_ master: MasterKey) {
        let secret = SymmetricKey(data: master.bytes)
        func derive(_ use: String, _ byteCount: Int = 32) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Array("espalier/1/\(use)".utf8), outputByteCount: byteCount)
        }
        guard let id = KeyID(derive("key-id", KeyID.byteCount).withUnsafeBytes(Array.init)) else {
            preconditionFailure("HKDF gives as many bytes as it is asked for")
        }
        self.id = id
        rows = derive("rows")
        tokens = derive("tokens")
        digests = derive("digests")
        macs = derive("macs")
    }
}
