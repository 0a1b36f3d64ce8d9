package import Foundation
import JWTKit

/// The JWT that Apple accepts as a client secret (ES256; Apple: "Creating a client secret").
package enum ClientSecret {
    /// The seconds by which `iat` is set back. Apple rejects a secret from the future, and clocks differ.
    static let backdating: TimeInterval = 60

    /// Signs a new secret.
    ///
    /// - Parameters:
    ///   - audience: Apple's issuer, `https://appleid.apple.com`.
    /// - lifetime: Seconds from now. Apple allows 15,777,000 s. Minutes are enough for a secret that is made on
    ///   demand.
    package static func mint(
        for credentials: AppleClientCredentials, audience: String, at now: Date, lifetime: TimeInterval = 300
    ) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(backing: credentials.privateKey().signing))
        let claims = Claims(
            iss: credentials.teamID, iat: Int((now - backdating).timeIntervalSince1970), exp: Int((now + lifetime).timeIntervalSince1970),
            aud: audience, sub: credentials.clientID)
        return try await keys.sign(claims, header: ["kid": .string(credentials.keyID)])
    }

    private struct Claims: JWTPayload {
        /// Team ID.
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        /// The client ID.
        let sub: String

        /// Nothing to check, because these claims are made here and Apple verifies them.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
