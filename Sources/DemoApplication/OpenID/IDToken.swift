import Foundation
import JWTKit

/// A verified id_token: the provider's statement about the person, for this application and this sign-in.
struct IDToken: Sendable {
    /// The reason why a token is rejected (OpenID Connect Core, 3.1.3.7).
    enum Fault: Error, Equatable {
        case missing, malformed, unknownKey, signature, issuer, audience, expired, nonce, subject

        var explanation: String {
            switch self {
            case .missing: "The response contains none."
            case .malformed: "It is not a signed JWT with the required claims."
            case .unknownKey: "The provider does not publish its key or algorithm."
            case .signature: "Its signature is invalid."
            case .issuer: "It has another issuer."
            case .audience: "It was issued for another application."
            case .expired: "It has expired."
            case .nonce: "It belongs to another sign-in."
            case .subject: "It belongs to another person than before."
            }
        }
    }

    /// The checked claims.
    struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: Audience
        var azp: String?
        var exp: Double
        var nonce: String?

        /// The library verifies only the signature. The claims are checked with data that the library does not have.
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

    /// The header of a token: the first of three base64url parts, a JSON object (RFC 7515, section 7.1).
    struct Header: Decodable {
        var alg: String
        var kid: String
        /// Critical extensions (section 4.1.11). None is supported.
        var crit: [String]?

        init?(of token: String) {
            let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                Data(base64URL: Substring($0))
            }
            // jwt-kit accepts stray characters.
            guard parts.count == 3, parts.allSatisfy({ $0 != nil }), let first = parts[0],
                let header = try? JSONDecoder().decode(Header.self, from: first), header.crit == nil
            else { return nil }
            self = header
        }
    }

    /// The permitted difference between the two clocks, in seconds.
    fileprivate static let leeway: TimeInterval = 60
    private static let algorithms: Set<String> = ["ES256", "RS256"]

    let subject: String

    /// Verifies a token.
    /// - Parameters:
    ///   - nonce: The nonce of the sign-in; nil after a refresh, which need not repeat it.
    ///   - subject: The required subject after a refresh; nil at a sign-in.
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

    /// Returns the claims, after a check of the signature with the published key that the token names.
    private static func signedClaims(of token: String, by keys: JWKS) async throws -> Claims {
        guard let header = Header(of: token) else { throw Refusal.wrongIDToken(.malformed) }
        // The collection contains only this key. With several keys, it would try another key for an unknown key ID.
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
    /// Returns the first invalid claim; nil if all are as expected.
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
    /// Whether both strings have the same bytes, as required for identifiers (OpenID Connect Core, section 3.1.3.7). For
    /// `==`, a Kelvin sign equals K.
    func isSame(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
