/// The credentials of a connection for a call to Apple: its identifiers, and access to its key while it signs.
package struct AppleClientCredentials: Sendable, Unprintable {
    package let teamID: String
    /// The Services ID, or the bundle ID for the codes of a native application.
    package let clientID: String
    package let keyID: String
    /// Distinguishes this key from an earlier key with the same Key ID. It is, for example, the ID of the key's row.
    package let keyVersion: String
    /// The connection and tenant of the calls.
    package let share: AppleShare
    /// Opens the key. It is called only to sign.
    let privateKey: @Sendable () throws -> ApplePrivateKey

    package init(
        teamID: String, clientID: String, keyID: String, keyVersion: String, share: AppleShare,
        privateKey: @escaping @Sendable () throws -> ApplePrivateKey
    ) {
        self.teamID = teamID
        self.clientID = clientID
        self.keyID = keyID
        self.keyVersion = keyVersion
        self.share = share
        self.privateKey = privateKey
    }
}
