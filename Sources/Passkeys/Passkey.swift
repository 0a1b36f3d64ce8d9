/// A registered credential: what a relying party saves of it (Level 3, section 4: credential record).
package struct Passkey: Equatable, Sendable {
    /// The ways to reach an authenticator (section 5.8.4). The next browser uses them to find it.
    package enum Transport: String, CaseIterable, Sendable {
        case usb, nfc, ble, smartCard = "smart-card", hybrid, `internal`
    }

    /// 1 to 1023 bytes. It is unique among all passkeys of all accounts: the caller must refuse a second one (section 7.1, step 26).
    /// Otherwise somebody could register another person's passkey and have this person sign in to the wrong account.
    package let id: [UInt8]
    /// The COSE key of `CredentialKey`, exactly as the authenticator sent it.
    package let publicKey: [UInt8]
    /// The model of the authenticator, in 16 bytes, such as for its name. Nothing proves it, so it decides nothing.
    package let aaguid: [UInt8]
    /// The number of signatures as the authenticator counts them. It is 0 for most passkeys that are copied to several devices.
    package let signCount: UInt32
    /// Whether the passkey may be copied to other devices of the person. This never changes.
    package let isBackupEligible: Bool
    /// Whether the passkey was copied when it was last used.
    package let isBackedUp: Bool
    package let transports: [Transport]

    package init(
        id: [UInt8], publicKey: [UInt8], aaguid: [UInt8], signCount: UInt32, isBackupEligible: Bool, isBackedUp: Bool,
        transports: [Transport]
    ) {
        (self.id, self.publicKey, self.aaguid, self.signCount) = (id, publicKey, aaguid, signCount)
        (self.isBackupEligible, self.isBackedUp, self.transports) = (isBackupEligible, isBackedUp, transports)
    }
}
