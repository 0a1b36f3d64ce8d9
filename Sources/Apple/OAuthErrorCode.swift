/// The `error` of Apple's answers with status 400 (RFC 6749, section 5.2; Apple's "ErrorResponse").
package enum OAuthErrorCode: String, Sendable, Hashable, CustomStringConvertible {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    /// A code that is none of these. It is not kept: it would be a stranger's text in our logs.
    case other

    package var description: String { rawValue }

    /// What it says about our side, for whoever reads the error.
    package var advice: String {
        switch self {
        case .invalidRequest: "The request lacks something, or the user has revoked consent."
        case .invalidClient: "Check the connection's Team ID, Services ID, Key ID and key, and this machine's clock."
        case .invalidGrant: "The client was accepted; the code or refresh token is used, expired, or another client's."
        case .unauthorizedClient: "The Services ID is not configured for Sign in with Apple."
        case .unsupportedGrantType: "The grant type is unknown to Apple."
        case .invalidScope: "The scope is unknown to Apple."
        case .other: "The code is none that Apple documents."
        }
    }
}
