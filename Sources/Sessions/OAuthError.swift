import ClientKeys
import HTTPTypes
package import Hummingbird
import Web

/// A refusal of an OAuth endpoint (RFC 6749, section 5.2; RFC 6750, section 3.1).
///
/// Grants throw it, and it renders itself. The description is for the developer who reads the response.
package struct OAuthError: Error, Sendable {
    package enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        /// RFC 8693, section 2.2.2.
        case invalidTarget = "invalid_target"
        case invalidToken = "invalid_token"
        /// RFC 7009, section 2.2.1.
        case unsupportedTokenType = "unsupported_token_type"
        case insufficientScope = "insufficient_scope"
        /// RFC 9470, section 3.
        case insufficientUserAuthentication = "insufficient_user_authentication"
        /// RFC 9449, section 12.2.
        case invalidDPoPProof = "invalid_dpop_proof"
        case useDPoPNonce = "use_dpop_nonce"
        /// OpenID Connect Core, section 3.1.2.6.
        case requestNotSupported = "request_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case temporarilyUnavailable = "temporarily_unavailable"
        /// RFC 8628, section 3.5.
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case accessDenied = "access_denied"
        case expiredToken = "expired_token"
        // RFC 7591, section 3.2.2.
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        case unapprovedSoftwareStatement = "unapproved_software_statement"
    }

    package let code: Code
    package let description: String
    /// Whether a caller gets it in the usual course: a device while its user decides, and the first proof of a key, before its signature is
    /// verified.
    var isExpected: Bool { [.authorizationPending, .slowDown, .useDPoPNonce].contains(code) }
    /// The scheme of `WWW-Authenticate`, which every 401 has (RFC 9110, section 11.6.1). By default it is the scheme of the credential that
    /// the code is about.
    package var challenge: String?
    /// Whether the challenge contains only the scheme. A caller without credentials has made no error (RFC 6750, section 3.1).
    let isBare: Bool
    /// How recent Apple's authentication of the user must be, in seconds (RFC 9470, section 3).
    package var maxAge: Int?
    /// Whether a limit of requests refuses the request. The status is 429, because RFC 6749 has no code for it.
    package var isRateLimited = false

    package init(_ code: Code, _ description: String, challenge: String? = nil, isBare: Bool = false) {
        let scheme: String? =
            switch code {
            // The only scheme for clients that every server supports (RFC 6749, section 2.3.1). Credentials in a form have no scheme.
            case .invalidClient: "Basic"
            case .invalidToken, .insufficientUserAuthentication: "Bearer"
            default: nil
            }
        (self.code, self.description, self.challenge, self.isBare) = (code, description, challenge ?? scheme, isBare)
    }
}

extension OAuthError: HTTPResponseError {
    package var status: HTTPResponse.Status {
        switch code {
        case _ where isRateLimited: .tooManyRequests
        case .invalidClient, .invalidToken, .insufficientUserAuthentication: .unauthorized
        // Only an endpoint that takes access tokens challenges for one (RFC 9449, sections 5, 8 and 9).
        case .invalidDPoPProof, .useDPoPNonce: challenge == nil ? .badRequest : .unauthorized
        case .insufficientScope: .forbidden
        case .temporarilyUnavailable: .serviceUnavailable
        default: .badRequest
        }
    }

    private struct Body: Encodable {
        let error, error_description: String
    }

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let outcome = isRateLimited ? Problem.Code.rateLimited.rawValue : code.rawValue
        (context as? any RecordedContext)?.record.note(outcome: outcome)
        var headers: HTTPFields = [:]
        if let challenge {
            var fields = ["realm=\"espalier\""]
            if challenge != "Basic", !isBare { fields += ["error=\"\(code.rawValue)\"", "error_description=\"\(description)\""] }
            if let maxAge { fields.append("max_age=\"\(maxAge)\"") }
            if challenge == "DPoP" { fields.append("algs=\"\(PublicKey.Algorithm.allCases.map(\.rawValue).joined(separator: " "))\"") }
            headers[.wwwAuthenticate] = "\(challenge) \(fields.joined(separator: ", "))"
        }
        return try .json(Body(error: code.rawValue, error_description: description), status: status, headers: headers)
    }
}
