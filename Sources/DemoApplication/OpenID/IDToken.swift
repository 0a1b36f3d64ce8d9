import Foundation
import JWTKit

/// A verified id_token: the provider's word about who signed in, to this application, in this sign-in.
struct IDToken: Sendable {
    /// What is wrong with a token that is not accepted (OpenID Connect Core, 3.1.3.7).
    enum Fault: Error, Equatable {
        case missing, malformed, unknownKey, signature, issuer, audience, expired, nonce, subject

        var explanation: String {
            switch self {
            case .missing: "There is none in the answer."
            case .malformed: "It is not a signed JWT with the claims it must have."
            case .unknownKey: "It is signed by a key, or in a manner, that the provider does not publish."
            case .signature: "Its signature is wrong."
            case .issuer: "It was issued by someone else."
            case .audience: "It was issued for another application."
            case .expired: "It has expired."
            case .nonce: "It belongs to another sign-in."
            case .subject: "It is about another person than before."
            }
        }
    }

    /// The claims that are checked.
    struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: Audience
        var azp: String?
        var exp: Double
        var nonce: String?

        /// Only the signature is verified by the library; the claims need to know more than it does.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// One audience or a list of them (RFC 7519, section 4.1.3). jwt-kit's own type traps on an empty list.
    struct Audience: Codable, Sendable {
        var value: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// What a token says of its signature: three parts of base64url, the first an object (RFC 7515, section 7.1).
    struct Header: Decodable {
        var alg: String
        var kid: String
        /// Extensions that must be understood (section 4.1.11); we know none.
        var crit: [String]?

        init?(of token: String) {
            let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                Data(base64URL: Substring($0))
            }
            // jwt-kit forgives stray characters.
            guard parts.count == 3, parts.allSatisfy({ $0 != nil }), let first = parts[0],
                let header = try? JSONDecoder().decode(Header.self, from: first), header.crit == nil
            else { return nil }
            self = header
        }
    }

    /// How far the two clocks may disagree, in seconds.
    fileprivate static let leeway: TimeInterval = 60
    private static let algorithms: Set<String> = ["ES256", "RS256"]

    let subject: String

    /// Verifies a token.
    /// - Parameters:
    ///   - nonce: What the sign-in began with; nil after a refresh, which need not repeat it.
    ///   - subject: Whom the token must be about after a refresh; nil at a sign-in.
    init(
        verifying token: String?, keys: JWKS, issuer: String, clientID: String, nonce: String?, subject: String?, at now: Date
    ) async throws {
        guard let token else { throw Refusal.wrongIDToken(.missing) }
        let claims = try await Self.signedClaims(of: token, by: keys)
        if let fault = claims.fault(issuer: issuer, clientID: clientID, nonce: nonce, subject: subject, at: now) {
            throw Refusal.wrongIDToken(fault)
        }
        self.subject = claims.sub
    }

    /// The claims, once the published key that the token names has verified its signature.
    private static func signedClaims(of token: String, by keys: JWKS) async throws -> Claims {
        guard let header = Header(of: token) else { throw Refusal.wrongIDToken(.malformed) }
        // The collection holds this key alone: given a choice, it would try another for a key id it doesn't know.
        guard let key = keys.find(identifier: header.kid)?.first, algorithms.contains(header.alg),
            key.algorithm.map({ $0.rawValue == header.alg }) ?? true
        else { throw Refusal.wrongIDToken(.unknownKey) }
        do {
            return try await JWTKeyCollection().add(jwk: key).verify(token, as: Claims.self)
        } catch is DecodingError {
            throw Refusal.wrongIDToken(.malformed)
        } catch {
            throw Refusal.wrongIDToken(.signature)
        }
    }
}

extension IDToken.Claims {
    /// What is wrong with them; nil when they are what was waited for.
    func fault(issuer: String, clientID: String, nonce: String?, subject: String?, at now: Date) -> IDToken.Fault? {
        guard iss.isSame(as: issuer) else { return .issuer }
        guard aud.value.contains(where: clientID.isSame), azp.map(clientID.isSame) ?? (aud.value.count == 1) else { return .audience }
        guard now.timeIntervalSince1970 < exp + IDToken.leeway else { return .expired }
        if let nonce, self.nonce.map(nonce.isSame) != true { return .nonce }
        if let subject, !sub.isSame(as: subject) { return .subject }
        return nil
    }
}

extension String {
    /// Byte for byte, as identifiers are compared (OpenID Connect Core, section 3.1.3.7): to `==`, a Kelvin sign is a K.
    func isSame(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
