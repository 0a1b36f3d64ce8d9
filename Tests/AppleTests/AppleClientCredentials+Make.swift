import Apple
import Crypto
import Foundation

extension AppleClientCredentials {
    /// A connection's credentials with a new key. Each has another tenant.
    static func make(
        team: String = "TEAM123456", client: String = Claims.audience, keyID: String = "KEY7654321",
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) -> AppleClientCredentials {
        AppleClientCredentials(
            teamID: team, clientID: client, keyID: keyID, keyVersion: key.publicKey.pemRepresentation,
            share: AppleShare(connection: UUID(), tenant: UUID())
        ) { ApplePrivateKey(key) }
    }
}
