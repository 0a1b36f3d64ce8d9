import Access
package import ClientKeys
package import Encoding
package import Hummingbird
import Sessions
package import Tenancy
package import Web

extension SignInNatively {
    /// Exchanges Apple's id_token from an application on a device for Espalier's tokens (RFC 8693). `nonce`, `code` and `user` are
    /// Espalier's additions. They have the same meaning as at the callback.
    @Sendable
    package func exchangeToken(
        _ request: Request, _ form: Form, _ key: KeyThumbprint?, _ tenant: TenantConfiguration, _ context: WebContext
    ) async throws -> Response {
        // Section 2.2.2: an unaccepted subject token is an `invalid_request`, regardless of the reason.
        try await nativeAnswer(context, refused: { $0.code == .invalidGrant ? .invalidRequest : $0.code }) {
            let application = try await endpoints.authenticate(request, form, tenant, context)
            try checkExchange(form)
            // The first one is the audience of the access token.
            let apis = try await tokens.apis(named: form, TokenTarget.resourceOrAudience, by: application, tenant.tenant)
            var reply = try await signInNatively(
                try NativeSignIn(form, for: apis), by: application, of: tenant, boundTo: key, on: Device(request, context))
            reply.issued_token_type = TokenType.accessToken
            return reply
        }
    }

    /// Checks the other parameters. Espalier never ignores a request for behavior that it does not support.
    private func checkExchange(_ form: Form) throws(OAuthError) {
        guard form["subject_token_type"]?.isSame(as: TokenType.idToken) == true
        else { throw OAuthError(.invalidRequest, "subject_token_type must be \(TokenType.idToken).") }
        guard (form["requested_token_type"] ?? TokenType.accessToken).isSame(as: TokenType.accessToken)
        else { throw OAuthError(.invalidRequest, "requested_token_type must be \(TokenType.accessToken).") }
        guard form["actor_token"] == nil, form["actor_token_type"] == nil
        else { throw OAuthError(.invalidRequest, "actor_token is not supported. Remove it and actor_token_type.") }
    }
}

/// Token type identifiers (RFC 8693, section 3).
private enum TokenType {
    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
}
