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
    private struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: AudienceClaim
        var azp: String?
        var exp: Double
        var nonce: String?

        /// Only the signature is verified by the library; the claims need to know more than it does.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    /// How far the two clocks may disagree, in seconds.
    private static let leeway: TimeInterval = 60
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
        guard claims.iss == issuer else { throw Refusal.wrongIDToken(.issuer) }
        guard claims.aud.value.contains(clientID), claims.azp ?? clientID == clientID, claims.aud.value.count == 1 || claims.azp != nil
        else { throw Refusal.wrongIDToken(.audience) }
        guard now.timeIntervalSince1970 < claims.exp + Self.leeway else { throw Refusal.wrongIDToken(.expired) }
        if let nonce, claims.nonce != nonce { throw Refusal.wrongIDToken(.nonce) }
        if let subject, claims.sub != subject { throw Refusal.wrongIDToken(.subject) }
        self.subject = claims.sub
    }

    /// The claims, once the published key that the token names has verified its signature.
    private static func signedClaims(of token: String, by keys: JWKS) async throws -> Claims {
        guard let text = token.split(separator: ".", omittingEmptySubsequences: false).first, let data = Data(base64URL: text),
            let header = try? JSONDecoder().decode(Header.self, from: data)
        else { throw Refusal.wrongIDToken(.malformed) }
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
