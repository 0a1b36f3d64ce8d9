import Access
import Crypto
import CryptoExtras
import Encoding
import Foundation
package import Postgres
import Sealing
package import Tenancy

/// A tenant's key that signs Espalier's tokens with ES256 or RS256. The private half is sealed at rest. The public half is in the tenant's
/// JWKS.
package struct SigningKey: Identified, Sendable {
    static let idPrefix = "key"

    package typealias Algorithm = Application.SigningAlgorithm

    /// The `current` key signs. The `next` key is already published and signs later. A `retired` key is published while tokens that it
    /// signed may be valid.
    enum State: String, Encodable, SQLValue {
        case next, current, retired
    }

    /// How long a key is published before it signs, in seconds. This covers the time that clients may cache a JWKS, one minute until every
    /// process knows the key, and clock differences.
    static let notice: TimeInterval = 600

    /// How long a key stays published after its last signature, in seconds. This covers the longest token lifetime that an application can
    /// set, and one hour for clock differences.
    static let afterlife: TimeInterval = 86400 + 3600

    let id: ID<SigningKey>
    let state: State
    let algorithm: Algorithm
    package let jwk: JWK
    let privateKey: PrivateKey
    /// The header of its tokens, up to the value of `typ`.
    private let headerStart: [UInt8]

    init(id: ID<SigningKey>, state: State, algorithm: Algorithm, jwk: JWK, privateKey: PrivateKey) {
        (self.id, self.state, self.algorithm, self.jwk, self.privateKey) = (id, state, algorithm, jwk, privateKey)
        headerStart = Array("{\"alg\":\"\(algorithm.rawValue)\",\"kid\":\"\(id)\",\"typ\":\"".utf8)
    }

    /// The `kid` of tokens and of the JWKS.
    var keyID: String { id.description }
}

extension SigningKey {
    init(_ row: Row, of tenant: ID<Tenant>, with keyring: Keyring) throws {
        let id: ID<SigningKey> = try row.get("id")
        let algorithm: Algorithm = try row.get("algorithm")
        let stored = try keyring.open(Sealed(bytes: try row.get("sealed_private")), in: Self.context(id, of: tenant))
        let jwk: JWK
        let privateKey: PrivateKey
        switch algorithm {
        case .ES256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: stored)
            let point = Array(key.publicKey.rawRepresentation)
            jwk = JWK(
                kty: "EC", alg: algorithm.rawValue, kid: id.description, crv: "P-256", x: Array(point[..<32]).base64URL,
                y: Array(point[32...]).base64URL)
            privateKey = .es256(key)
        case .RS256:
            let key = try _RSA.Signing.PrivateKey(derRepresentation: stored)
            let numbers = try key.publicKey.getKeyPrimitives()
            jwk = JWK(
                kty: "RSA", alg: algorithm.rawValue, kid: id.description, n: Array(numbers.modulus).base64URL,
                e: Array(numbers.publicExponent).base64URL)
            privateKey = .rs256(key)
        }
        self.init(id: id, state: try row.get("state"), algorithm: algorithm, jwk: jwk, privateKey: privateKey)
    }

    /// One public key of a JWKS (RFC 7517; RFC 7518, sections 6.2 and 6.3).
    package struct JWK: Encodable, Sendable {
        let kty: String
        let use = "sig"
        let alg, kid: String
        var crv, x, y: String?
        var n, e: String?
    }

    /// Signs claims as a JWS in compact form (RFC 7515).
    ///
    /// - Parameters:
    ///   - claims: JSON.
    ///   - type: the `typ` of the header. It prevents the use of an id_token as an access token. It needs no escape in JSON.
    package func sign(_ claims: [UInt8], type: String) throws -> String {
        let header = headerStart + Array("\(type)\"}".utf8)
        var token: [UInt8] = []
        token.reserveCapacity([UInt8].base64URLCount(of: header.count + claims.count) + 2 + Self.usualSignatureCount)
        token.append(base64URL: header)
        token.append(UInt8(ascii: "."))
        token.append(base64URL: claims)
        let signature = try privateKey.signature(of: token)
        token.append(UInt8(ascii: "."))
        token.append(base64URL: signature)
        return String(decoding: token, as: UTF8.self)
    }

    /// The length of an ES256 signature in base64url.
    private static let usualSignatureCount = 86

    /// The signature of a header and claims that are already encoded.
    func signature(of input: String) throws -> String {
        try privateKey.signature(of: Array(input.utf8)).base64URL
    }

    /// Whether this key made the signature, with its algorithm.
    func verifies(_ signature: [UInt8], of input: ArraySlice<UInt8>) -> Bool {
        privateKey.verifies(signature, of: input)
    }

    // MARK: Rows

    /// The rows in the order of the JWKS: current, next, retired.
    static func all(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, state, algorithm, sealed_private FROM signing_key WHERE tenant_id = \(tenant)
        ORDER BY array_position(ARRAY['current', 'next', 'retired'], state), algorithm, id DESC
        """
    }

    static func current(_ algorithm: Algorithm, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, state, algorithm, sealed_private FROM signing_key
        WHERE tenant_id = \(tenant) AND algorithm = \(algorithm) AND state = \(State.current)
        """
    }

    static func context(_ id: ID<SigningKey>, of tenant: ID<Tenant>) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "signing_key", column: "sealed_private", row: id.description)
    }
}

extension SigningKey {
    /// Selects the IDs of the master keys that sealed keys.
    package static let masterKeys: SQL = "SELECT DISTINCT substring(sealed_private FROM 2 FOR 4) AS id FROM signing_key"
}
