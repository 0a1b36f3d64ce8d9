/// Why an id_token is not trusted, or a notification, which is signed the same way. Each case is one rule; none carries anything of the token.
package enum IDTokenRefusal: String, Error, Hashable, CaseIterable, CustomStringConvertible {
    case malformed
    case algorithm
    case unknownKey
    case signature
    case issuer
    case audience
    case expired
    case notYetValid
    case subject
    case nonceMissing
    case nonceMismatch

    package var description: String {
        switch self {
        case .malformed: "The id_token is not a JWT with the claims that Apple sends."
        case .algorithm: "The id_token is not signed by RS256, the only algorithm Apple uses."
        case .unknownKey: "The id_token names a key that Apple does not publish."
        case .signature: "The id_token's signature is wrong."
        case .issuer: "The id_token's issuer is not among the accepted ones; check ESPALIER_APPLE_ISSUERS."
        case .audience: "The id_token was issued to another client; check the connection's Services ID and bundle IDs."
        case .expired: "The id_token has expired; the user has to sign in again."
        case .notYetValid: "The id_token comes from the future; check this machine's clock."
        case .subject: "The id_token names no user."
        case .nonceMissing: "The id_token has no nonce although one was sent."
        case .nonceMismatch: "The id_token's nonce is not the one that was sent; it may belong to another login."
        }
    }
}
