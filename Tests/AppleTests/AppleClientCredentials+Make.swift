import Apple
import Crypto

extension AppleClientCredentials {
    /// A connection's credentials with a fresh key.
    static func make(
        team: String = "TEAM123456", client: String = Claims.audience, keyID: String = "KEY7654321",
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) -> AppleClientCredentials {
        AppleClientCredentials(
            teamID: team, clientID: client, keyID: keyID, keyVersion: key.publicKey.pemRepresentation
        ) { ApplePrivateKey(key) }
    }
}
