/// The reason why an id_token or a notification, which is signed in the same way, is not trusted. Each case is one rule. No case contains
/// any part of the token.
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
        case .algorithm: "The id_token is not signed with RS256, the only algorithm that Apple uses."
        case .unknownKey: "The id_token names a key that Apple does not publish."
        case .signature: "The id_token's signature is invalid."
        case .issuer: "The id_token's issuer is not accepted. Check ESPALIER_APPLE_ISSUERS."
        case .audience: "The id_token was issued to another client. Check the connection's Services ID and bundle IDs."
        case .expired: "The id_token has expired. The user must sign in again."
        case .notYetValid: "The id_token is from the future. Check this machine's clock."
        case .subject: "The id_token names no user."
        case .nonceMissing: "The id_token has no nonce although one was sent."
        case .nonceMismatch: "The id_token's nonce differs from the nonce that was sent. The id_token may belong to another login."
        }
    }
}
