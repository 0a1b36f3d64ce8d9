import Access
import Crypto
import CryptoExtras
import Foundation
import JWTKit
import Postgres
import Sealing
package import Tenancy
import Web

/// A tenant's key that signs our tokens, by ES256 or RS256: sealed at rest, its public half in the tenant's JWKS.
package struct SigningKey: Identified, Sendable {
    static let idPrefix = "key"

    package typealias Algorithm = Application.SigningAlgorithm

    /// `current` signs; `next` will, and is published already; `retired` ones are published while what they signed may live.
    enum State: String, Encodable, SQLValue {
        case next, current, retired
    }

    /// How long a key has to be published before it signs, in seconds: as long as a JWKS may be kept, a minute in which a process may
    /// not have heard of it, and what clocks differ by.
    static let notice: TimeInterval = 600

    /// How long a key stays published after it has signed for the last time, in seconds: as long as a token of any application can be
    /// set to live, and an hour for clocks that differ.
    static let afterlife: TimeInterval = 86400 + 3600

    let id: ID<SigningKey>
    let state: State
    let algorithm: Algorithm
    package let jwk: JWK
    let signer: any JWTAlgorithm

    /// The `kid` of tokens and of the JWKS.
    var keyID: String { id.description }
}

extension SigningKey {
    init(_ row: Row, of tenant: ID<Tenant>, with keyring: Keyring) async throws {
        let id: ID<SigningKey> = try row.get("id")
        let algorithm: Algorithm = try row.get("algorithm")
        let stored = try keyring.open(Sealed(bytes: try row.get("sealed_private")), in: Self.context(id, of: tenant))
        let jwk: JWK
        let signer: any JWTAlgorithm
        switch algorithm {
        case .ES256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: stored)
            let point = Array(key.publicKey.rawRepresentation)
            jwk = JWK(
                kty: "EC", alg: algorithm.rawValue, kid: id.description, crv: "P-256", x: Array(point[..<32]).base64URL,
                y: Array(point[32...]).base64URL)
            signer = try await JWTKeyCollection().add(ecdsa: ECDSA.PrivateKey<P256>(backing: key)).getKey()
        case .RS256:
            let key = try _RSA.Signing.PrivateKey(derRepresentation: stored)
            let numbers = try key.publicKey.getKeyPrimitives()
            jwk = JWK(
                kty: "RSA", alg: algorithm.rawValue, kid: id.description, n: Array(numbers.modulus).base64URL,
                e: Array(numbers.publicExponent).base64URL)
            signer = try await JWTKeyCollection().add(rsa: JWTKit.Insecure.RSA.PrivateKey(backing: key), digestAlgorithm: .sha256).getKey()
        }
        self.init(id: id, state: try row.get("state"), algorithm: algorithm, jwk: jwk, signer: signer)
    }

    /// One public key of a JWKS (RFC 7517; RFC 7518, sections 6.2 and 6.3).
    package struct JWK: Encodable, Sendable {
        let kty: String
        let use = "sig"
        let alg, kid: String
        var crv, x, y: String?
        var n, e: String?
    }

    /// A JWS in compact form (RFC 7515). jwt-kit's key signs; header and claims are encoded here, once,
    /// since this is most of what a token costs.
    ///
    /// - Parameter type: the header's `typ`, which keeps an id_token from passing for an access token.
    package func sign(_ claims: some Encodable, type: String) throws -> String {
        let header = Array(#"{"alg":"\#(algorithm.rawValue)","kid":"\#(keyID)","typ":"\#(type)"}"#.utf8)
        let input = "\(header.base64URL).\(try JSONWriter.encode(claims).base64URL)"
        return "\(input).\(try signature(of: input))"
    }

    /// The signature of a header and claims that are encoded already.
    func signature(of input: String) throws -> String {
        try signer.sign(Array(input.utf8)).base64URL
    }

    /// Whether a signature is this key's, by this key's algorithm.
    func verifies(_ signature: [UInt8], of input: some StringProtocol) -> Bool {
        (try? signer.verify(signature, signs: Array(input.utf8))) == true
    }

    // MARK: Rows

    /// In the order of the JWKS: what signs, what will, what did.
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
