/// The statements of an authenticator about itself, the person and the relying party (Level 3, section 6.1). A signature covers these
/// bytes.
struct AuthenticatorData: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8

        /// UP: The person touched the authenticator or was otherwise present.
        static let userPresent = Flags(rawValue: 1 << 0)
        /// UV: The person proved to be the owner, with a PIN, a finger or a face.
        static let userVerified = Flags(rawValue: 1 << 2)
        /// BE: The passkey may be copied to other devices of the person. This never changes.
        static let backupEligible = Flags(rawValue: 1 << 3)
        /// BS: The passkey is copied.
        static let backedUp = Flags(rawValue: 1 << 4)
        /// AT: A new credential follows.
        static let attested = Flags(rawValue: 1 << 6)
        /// ED: Outputs of extensions follow.
        static let extensions = Flags(rawValue: 1 << 7)
    }

    /// A new credential (section 6.5.1).
    struct Credential: Sendable {
        /// The model of the authenticator, in 16 bytes. Nothing proves it.
        let aaguid: [UInt8]
        let id: [UInt8]
        /// A COSE key, which is not checked yet.
        let publicKey: [UInt8]
    }

    /// In bytes. The longest credential ID, a key and a few extensions have less than half of it.
    private static let longest = 4096

    let rpIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let credential: Credential?

    /// Nil if the bytes do not have the layout that their flags describe, or if bytes follow it.
    ///
    /// The outputs of extensions must be a map, but have no effect, because Espalier requests no extensions.
    init?(_ bytes: [UInt8]) {
        guard (37...Self.longest).contains(bytes.count) else { return nil }
        rpIDHash = Array(bytes[..<32])
        // The reserved bits have no meaning yet.
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var position = 37
        if flags.contains(.attested) {
            let idStart = position + 18
            guard bytes.count >= idStart else { return nil }
            let idEnd = idStart + Int(bytes[idStart - 2]) << 8 + Int(bytes[idStart - 1])
            guard bytes.count >= idEnd, let keyEnd = Self.end(ofMapAt: idEnd, in: bytes) else { return nil }
            credential = Credential(
                aaguid: Array(bytes[position..<(idStart - 2)]), id: Array(bytes[idStart..<idEnd]), publicKey: Array(bytes[idEnd..<keyEnd]))
            position = keyEnd
        } else {
            credential = nil
        }
        if flags.contains(.extensions) {
            guard let end = Self.end(ofMapAt: position, in: bytes) else { return nil }
            position = end
        }
        guard position == bytes.count else { return nil }
    }

    private static func end(ofMapAt start: Int, in bytes: [UInt8]) -> Int? {
        var reader = CBORReader(bytes, at: start)
        guard case .map? = try? reader.value() else { return nil }
        return reader.position
    }
}
