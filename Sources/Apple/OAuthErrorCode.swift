/// The `error` of Apple's responses with status 400 (RFC 6749, section 5.2; Apple: "ErrorResponse").
package enum OAuthErrorCode: String, Sendable, Hashable, CustomStringConvertible {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    /// Any other code. Its text is not stored, because an attacker's text would get into the log.
    case other

    package var description: String { rawValue }

    /// The meaning of the code for our credentials and request, for the reader of the error.
    package var advice: String {
        switch self {
        case .invalidRequest: "The request is incomplete, or the user has revoked consent."
        case .invalidClient: "Check the connection's Team ID, Services ID, Key ID and key, and this machine's clock."
        case .invalidGrant: "The client was accepted. The code or refresh token is used, expired, or belongs to another client."
        case .unauthorizedClient: "The Services ID is not configured for Sign in with Apple."
        case .unsupportedGrantType: "Apple does not know the grant type."
        case .invalidScope: "Apple does not know the scope."
        case .other: "Apple does not document this code."
        }
    }
}
