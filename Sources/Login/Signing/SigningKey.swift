import Crypto
import Foundation
import JWTKit
import Postgres
import Sealing
import Tenancy
import Web

/// A tenant's key that signs our tokens: ES256, sealed at rest, its public half in the tenant's JWKS.
struct SigningKey: Identified, Sendable {
    static let idPrefix = "key"

    enum State: String, SQLValue {
        case next, current, retired
    }

    let id: ID<SigningKey>
    let state: State
    private let key: P256.Signing.PrivateKey
    private let algorithm: any JWTAlgorithm

    /// The `kid` of tokens and of the JWKS.
    var keyID: String { id.description }

    init(_ row: Row, of tenant: ID<Tenant>, with keyring: Keyring) async throws {
        let id: ID<SigningKey> = try row.get("id")
        let raw = try keyring.open(Sealed(bytes: try row.get("sealed_private")), in: Self.context(id, of: tenant))
        try await self.init(id, state: try row.get("state"), key: P256.Signing.PrivateKey(rawRepresentation: raw))
    }

    private init(_ id: ID<SigningKey>, state: State, key: P256.Signing.PrivateKey) async throws {
        (self.id, self.state, self.key) = (id, state, key)
        let keys = await JWTKeyCollection().add(ecdsa: try ECDSA.PrivateKey<P256>(backing: key))
        algorithm = try await keys.getKey()
    }

    /// One public key of a JWKS (RFC 7517; RFC 7518, section 6.2).
    struct JWK: Encodable, Sendable {
        let kty = "EC", crv = "P-256", use = "sig", alg = "ES256"
        let kid, x, y: String
    }

    var jwk: JWK {
        let point = Array(key.publicKey.rawRepresentation)
        return JWK(kid: keyID, x: Array(point[..<32]).base64URL, y: Array(point[32...]).base64URL)
    }

    var publicKey: ECDSA.PublicKey<P256> {
        get throws { try ECDSA.PublicKey<P256>(backing: key.publicKey) }
    }

    /// A JWS in compact form (RFC 7515). jwt-kit's key signs; header and claims are encoded here, once,
    /// since this is most of what a token costs.
    ///
    /// - Parameter type: the header's `typ`, which keeps an id_token from passing for an access token.
    func sign(_ claims: some Encodable, type: String) throws -> String {
        let header = Array(#"{"alg":"ES256","kid":"\#(keyID)","typ":"\#(type)"}"#.utf8)
        let input = "\(header.base64URL).\([UInt8](try JSONEncoder.wire.encode(claims)).base64URL)"
        return "\(input).\(try algorithm.sign(Array(input.utf8)).base64URL)"
    }

    // MARK: Rows

    static func all(of tenant: ID<Tenant>) -> SQL {
        "SELECT id, state, sealed_private FROM signing_key WHERE tenant_id = \(tenant) ORDER BY created_at DESC, id"
    }

    /// A first key; nothing where another process was faster.
    static func insertFirst(of tenant: ID<Tenant>, with keyring: Keyring, at now: Date) -> SQL {
        let id = ID<SigningKey>(at: now)
        let sealed = keyring.seal([UInt8](P256.Signing.PrivateKey().rawRepresentation), in: context(id, of: tenant))
        return """
            INSERT INTO signing_key (tenant_id, id, algorithm, sealed_private, state, created_at)
            VALUES (\(tenant), \(id), 'ES256', \(sealed.bytes), \(State.current), \(now)) ON CONFLICT DO NOTHING
            """
    }

    private static func context(_ id: ID<SigningKey>, of tenant: ID<Tenant>) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "signing_key", column: "sealed_private", row: id.description)
    }
}
