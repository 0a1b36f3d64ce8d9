import Encoding
package import Foundation

/// A JWT with which an application proves its identity (RFC 7523, sections 2.2 and 3; OpenID Connect Core, section 9). Its claims are
/// checked, and its signature is not verified yet.
package struct ClientAssertion: Sendable {
    /// The only value of `client_assertion_type`.
    package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// In bytes.
    private static let longest = 8 * 1024
    /// The permitted difference between the application's clock and ours.
    static let leeway: TimeInterval = 60
    /// How far ahead `exp` may be. Some libraries always use one hour. Each assertion is single-use in any case.
    static let longestLife: TimeInterval = 3600

    /// The reason for refusing an assertion, for the application's developer.
    package enum Refusal: Error {
        case malformed, algorithm, type, issuer, audience, expiryMissing, expired, tooLong, notYet, idMissing, signature, used
        /// The document at the application's `jwks_uri` is unavailable.
        case keysUnavailable(KeyDocuments.Failure)
    }

    private let jws: CompactJWS
    /// Identifies the assertion among those of its application.
    let id: String
    let expiresAt: Date

    /// The application that an assertion names, before any check.
    package static func client(of text: String) -> String? {
        guard let payload = CompactJWS(text, upTo: longest)?.payload, case .object(let claims)? = try? JSONValue(json: payload)
        else { return nil }
        return claims["sub"]?.text
    }

    /// Checks everything except the signature, so that an invalid assertion costs neither a fetch nor a statement.
    /// - Parameters:
    ///   - client: the ID of the application.
    ///   - audiences: the names of this server. Every audience must be one of them, so that another server cannot use the assertion here.
    package init(_ text: String, of client: String, for audiences: [String], at now: Date) throws(Refusal) {
        guard let jws = CompactJWS(text, upTo: Self.longest), let payload = jws.payload,
            case .object(let claims)? = try? JSONValue(json: payload)
        else { throw .malformed }
        guard PublicKey.Algorithm.allCases.contains(where: { $0.rawValue.isSame(as: jws.algorithm) }) else { throw .algorithm }
        // A token of another kind must not authenticate (RFC 8725, section 3.11).
        guard jws.type.map({ ["jwt", "client-authentication+jwt"].has($0.asciiLowercased) }) ?? true else { throw .type }
        guard claims["iss"]?.text?.isSame(as: client) == true, claims["sub"]?.text?.isSame(as: client) == true else { throw .issuer }
        let named: [JSONValue]
        switch claims["aud"] {
        case .array(let values)?: named = values
        case let value?: named = [value]
        case nil: named = []
        }
        guard !named.isEmpty, named.allSatisfy({ $0.text.map { audiences.has($0) } ?? false }) else { throw .audience }

        func time(_ name: String) throws(Refusal) -> Date? {
            switch claims[name] {
            case nil: nil
            case .integer(let seconds)?: Date(timeIntervalSince1970: TimeInterval(seconds))
            case .number(let seconds)?: Date(timeIntervalSince1970: seconds)
            default: throw .malformed
            }
        }
        guard let expiresAt = try time("exp") else { throw .expiryMissing }
        guard now < expiresAt.addingTimeInterval(Self.leeway) else { throw .expired }
        guard expiresAt <= now.addingTimeInterval(Self.longestLife + Self.leeway) else { throw .tooLong }
        for start in [try time("nbf"), try time("iat")].compactMap(\.self) where start > now.addingTimeInterval(Self.leeway) {
            throw .notYet
        }
        guard let id = claims["jti"]?.text, (1...512).contains(id.utf8.count) else { throw .idMissing }
        (self.jws, self.id, self.expiresAt) = (jws, id, expiresAt)
    }

    /// Whether the `kid` of the assertion is among these keys.
    func isNamed(in set: PublicKeySet) -> Bool { set.mayVerify(jws) }

    func isSigned(byKeyOf set: PublicKeySet) -> Bool { set.verifies(jws) }
}

extension ClientAssertion.Refusal {
    /// The problem and the next step. It contains no part of the assertion.
    package var description: String {
        switch self {
        case .malformed: "client_assertion must be a signed JWT of up to 8 KiB."
        case .algorithm: "client_assertion must be signed with \(PublicKey.Algorithm.allCases.map(\.rawValue).joined(separator: ", "))."
        case .type: "The typ of client_assertion must be JWT or client-authentication+jwt, or absent."
        case .issuer: "iss and sub of client_assertion must be the client_id."
        case .audience: "aud of client_assertion must be the issuer, or the URL of the endpoint."
        case .expiryMissing: "client_assertion has no exp."
        case .expired: "client_assertion has expired. Create a new one for each request, and check the clock."
        case .tooLong: "exp of client_assertion must be at most 1 hour ahead."
        case .notYet: "iat or nbf of client_assertion is in the future. Check the clock."
        case .idMissing: "client_assertion must have a jti of 1 to 512 bytes."
        case .signature: "No registered key of the application has signed client_assertion. Check kid and the registered keys."
        case .used: "client_assertion was used before. Create a new one with another jti for each request."
        case .keysUnavailable(let failure): "The application's jwks_uri is unavailable (\(failure.rawValue)). Retry in a minute."
        }
    }
}
