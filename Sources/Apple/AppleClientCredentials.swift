/// All that proves to Apple who is asking: a connection's identifiers, and its key as long as it takes to sign.
package struct AppleClientCredentials: Sendable, Unprintable {
    package let teamID: String
    /// The Services ID; or, for codes that a native application got, its bundle ID.
    package let clientID: String
    package let keyID: String
    /// Tells this key from an earlier one under the same Key ID: the id of its row, say.
    package let keyVersion: String
    /// The connection and tenant that the calls are for.
    package let share: AppleShare
    /// Opens the key. Called only when something has to be signed.
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
