import Encoding

/// The reason why a provider cannot sign a member in, for the owner of the tenant. It contains nothing that the provider sent except a known
/// error code, and no secret.
package struct OIDCRefusal: Error, Equatable, Sendable {
    package enum Step: String, Encodable, Sendable {
        /// The document at `/.well-known/openid-configuration`.
        case discovery
        /// The document at `jwks_uri`.
        case keys
        /// The response that the browser brings back.
        case authorization
        /// The response of the token endpoint.
        case token
        case idToken = "id_token"
    }

    package let step: Step
    /// The invalid member or claim. Nil for the whole response.
    package let field: String?
    package let detail: String

    package init(_ step: Step, _ field: String? = nil, _ detail: String) {
        (self.step, self.field, self.detail) = (step, field, detail)
    }

    /// An error code that a provider sent, if it is a known one (RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core, section 3.1.2.6).
    static func known(_ code: String?) -> String? {
        let known = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope", "server_error",
            "temporarily_unavailable", "invalid_client", "invalid_grant", "unsupported_grant_type", "interaction_required",
            "login_required", "account_selection_required", "consent_required",
        ]
        return code.flatMap { code in known.first { $0.isSame(as: code) } }
    }
}
