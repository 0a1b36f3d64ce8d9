/// A new credential with an optional statement about the authenticator (Level 3, section 6.5.4).
struct AttestationObject: Sendable {
    /// In bytes. The statement of a TPM with its certificates has about 5 KiB.
    private static let longest = 16_384

    let authenticatorData: [UInt8]

    /// Nil if the bytes do not have the form of an attestation object, or if there is a statement in the format `none`, which has none
    /// (section 8.7).
    ///
    /// Every other format is accepted, and its statement is not read. A statement proves the model of the authenticator and not the person.
    /// Its proof would need the certificates of all manufacturers, and most passkeys have no statement. Espalier requests none. Some
    /// browsers and password managers send one nevertheless, and the specification permits to treat it as none (section 7.1, step 24).
    init?(_ bytes: [UInt8]) {
        guard let value = try? CBORValue(canonical: bytes, upTo: Self.longest), case .map(let members) = value, members.count == 3,
            let format = value.member("fmt"), case .text = format, let statement = value.member("attStmt"),
            case .bytes(let authenticatorData)? = value.member("authData")
        else { return nil }
        switch statement {
        case .map(let members):
            guard members.isEmpty || !format.isText("none") else { return nil }
        // The statement of a compound attestation (section 8.9).
        case .array where format.isText("compound"): break
        default: return nil
        }
        self.authenticatorData = authenticatorData
    }
}
