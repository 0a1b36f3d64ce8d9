import Foundation
import JWTKit

/// A client secret that Apple accepts: an ES256 JWT signed with one of the team's keys.
///
/// Apple's page "Creating a client secret" lists the claims. Apple responds to every mistake only with `invalid_client`.
enum ClientSecret {
    /// The reason for the refusal, in the simulator's words.
    enum Refusal: String, Error {
        case unknownClient = "client_id is neither a registered Services ID nor a bundle ID"
        case malformed = "client_secret is not a JWT"
        case algorithm = "the secret's alg is not ES256"
        case keyID = "the secret has no kid"
        case issuer = "the secret's iss is not the team of client_id"
        case key = "the secret's kid is not a key of this team"
        case revokedKey = "the secret's key is revoked"
        case subject = "the secret's sub is not client_id"
        case audience = "the secret's aud is not Apple's issuer"
        case issuedAt = "the secret's iat is missing, not a time, or in the future"
        case expired = "the secret's exp is missing or has passed"
        case lifetime = "the secret's lifetime exceeds 15777000 seconds"
        case signature = "the secret's signature is not the key's, as raw r and s of 32 bytes each"
    }

    /// Six months, the maximum lifetime of a secret in seconds.
    static let longestLifetime = 15_777_000
    /// The seconds by which `iat` may be in the future. Apple rejects a secret from a fast clock.
    static let clockLeeway = 5

    /// Checks a secret.
    /// - Returns: The secret's client.
    static func verify(
        _ secret: String, of client: Registry.Client?, audience: String, keys: [AppleKey.ID: AppleKey], at now: Date
    ) async throws(Refusal) -> Registry.Client {
        guard let client else { throw .unknownClient }
        let (header, claims, signature) = try parse(secret)
        guard header.alg == "ES256" else { throw .algorithm }
        guard let keyID = header.kid else { throw .keyID }
        guard claims["iss"] == .string(client.team) else { throw .issuer }
        guard let key = keys[keyID], key.team == client.team else { throw .key }
        guard key.status == .active else { throw .revokedKey }
        guard claims["sub"] == .string(client.id) else { throw .subject }
        guard claims["aud"] == .string(audience) else { throw .audience }
        try checkTimes(claims, at: Int(now.timeIntervalSince1970))
        guard signature.count == 64, await isSigned(secret, by: key) else { throw .signature }
        return client
    }

    static func parse(_ secret: String) throws(Refusal) -> (header: JWTHeader, claims: [String: JSONValue], signature: Data) {
        // jwt-kit accepts padding and stray characters. Apple does not.
        guard isCompact(secret),
            let (header, payload, signature) = try? DefaultJWTParser().parse(Array(secret.utf8), as: JSONValue.self),
            case .object(let claims) = payload
        else { throw .malformed }
        return (header, claims, signature)
    }

    /// Three parts of base64url without padding (RFC 7515, section 7.1).
    private static func isCompact(_ secret: String) -> Bool {
        let parts = secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    static func checkTimes(_ claims: [String: JSONValue], at now: Int) throws(Refusal) {
        guard case .integer(let issued)? = claims["iat"], (0...now + clockLeeway).contains(issued) else { throw .issuedAt }
        guard case .integer(let expires)? = claims["exp"], now < expires else { throw .expired }
        guard expires - issued <= longestLifetime else { throw .lifetime }
    }

    private static func isSigned(_ secret: String, by key: AppleKey) async -> Bool {
        guard let publicKey = try? ES256PublicKey(backing: key.publicKey) else { return false }
        let verified = try? await JWTKeyCollection().add(ecdsa: publicKey).verify(secret, as: JSONValue.self)
        return verified != nil
    }
}
