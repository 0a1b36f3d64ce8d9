package import Access
import Crypto
import Encoding
package import Foundation
package import Postgres

/// A JWT with which a caller proves that it has a private key (RFC 9449, section 4). A token that is bound to the key is useless to a thief
/// who has only the token.
package struct DPoPProof: Sendable {
    /// The request that a proof must be for.
    package struct Target: Sendable {
        let method, uri: String
        /// The access token in the request.
        let token: String?

        /// - Parameter uri: without a query.
        package init(method: String, uri: String, token: String? = nil) {
            (self.method, self.uri, self.token) = (method, uri, token)
        }
    }

    /// The reason for refusing a proof, for the caller's developer.
    package enum Refusal: Error, Equatable {
        case malformed, type, algorithm, key(member: String?), method, uri, idMissing, timeMissing, token, signature, used
        /// The proof has no nonce of this server, or an old one.
        case nonce
    }

    /// In bytes.
    private static let longest = 4096

    package let key: KeyThumbprint
    /// Identifies the proof among those of its key.
    private let id: String

    /// Checks everything, the cheap rules first.
    ///
    /// The time is the one of the nonce, and not the caller's `iat`, because clocks of devices are often wrong (section 11.3).
    package init(_ text: String, for target: Target, isNonce: (String) -> Bool) throws(Refusal) {
        guard let jws = CompactJWS(text, upTo: Self.longest), let payload = jws.payload,
            case .object(let claims)? = try? JSONValue(json: payload)
        else { throw .malformed }
        guard jws.type?.asciiLowercased.isSame(as: "dpop+jwt") == true else { throw .type }
        guard PublicKey.Algorithm.allCases.contains(where: { $0.rawValue.isSame(as: jws.algorithm) }) else { throw .algorithm }
        guard claims["htm"]?.text?.isSame(as: target.method) == true else { throw .method }
        guard let uri = claims["htu"]?.text, Self.normalized(uri).isSame(as: Self.normalized(target.uri)) else { throw .uri }
        guard let id = claims["jti"]?.text, (1...512).contains(id.utf8.count) else { throw .idMissing }
        switch claims["iat"] {
        case .integer, .number: break
        default: throw .timeMissing
        }
        if let token = target.token {
            let hash = Array(SHA256.hash(data: Data(token.utf8))).base64URL
            guard claims["ath"]?.text?.isSame(as: hash) == true else { throw .token }
        }
        guard let nonce = claims["nonce"]?.text, isNonce(nonce) else { throw .nonce }
        let key: PublicKey
        do { key = try PublicKey(jws.key ?? .null) } catch { throw .key(member: error.member) }
        guard key.verifies(jws.signature, of: jws.signed, by: jws.algorithm) else { throw .signature }
        (self.key, self.id) = (key.thumbprint, id)
    }

    /// A URI without query and fragment, with scheme and host in lower case and without the scheme's own port (section 4.3; RFC 3986,
    /// sections 6.2.2 and 6.2.3).
    static func normalized(_ uri: String) -> String {
        let bytes = Array(uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { return uri }
        let hostStart = colon + 3
        let hostEnd = bytes[hostStart...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).asciiLowercased
        var host = String(decoding: bytes[hostStart..<hostEnd], as: UTF8.self).asciiLowercased
        for (one, port) in [("https", ":443"), ("http", ":80")]
        where scheme.isSame(as: one) && host.utf8.suffix(port.utf8.count).elementsEqual(port.utf8) {
            host = String(decoding: host.utf8.dropLast(port.utf8.count), as: UTF8.self)
        }
        let path = String(decoding: bytes[hostEnd...], as: UTF8.self)
        return "\(scheme)://\(host)\(path.isEmpty ? "/" : path)"
    }

    /// Uses the proof up, so that nobody can send it a second time (section 11.1). Another server process may have used it, so the database
    /// decides.
    ///
    /// Only a caller with a token may use up proofs. Otherwise anybody could fill the table.
    /// - Throws: `Refusal.used`, or an error of the database.
    package func use(of tenant: ID<Tenant>, in pool: DatabasePool, until end: Date) async throws {
        let digest = Array(SHA256.hash(data: Data("dpop \(key.text) \(id)".utf8)))
        let isNew = try await !OwnerDatabase(pool, tenant: tenant).run(SingleUses.insertIfNew(digest, of: tenant, until: end)).isEmpty
        guard isNew else { throw Refusal.used }
    }
}

extension DPoPProof.Refusal {
    /// The problem and the next step. It contains no part of the proof.
    package var description: String {
        switch self {
        case .malformed: "The DPoP header must be one signed JWT of up to 4 KiB."
        case .type: "The typ of the DPoP proof must be dpop+jwt."
        case .algorithm: "The DPoP proof must be signed with \(PublicKey.Algorithm.allCases.map(\.rawValue).joined(separator: ", "))."
        case .key(let member):
            "The jwk of the DPoP proof is not a supported public key\(member.map { " (\($0))" } ?? ""). Send an EC key with P-256, or an RSA key."
        case .method: "The htm of the DPoP proof differs from the method of the request."
        case .uri: "The htu of the DPoP proof differs from the URL of the request."
        case .idMissing: "The DPoP proof must have a jti of 1 to 512 bytes."
        case .timeMissing: "The DPoP proof has no iat."
        case .token: "The ath of the DPoP proof is not the hash of the access token."
        case .signature: "The signature of the DPoP proof is not of the key in its jwk."
        case .used: "The DPoP proof was used before. Create a new one with another jti for each request."
        case .nonce: "Send a DPoP proof with the nonce of the DPoP-Nonce header of this response."
        }
    }
}
