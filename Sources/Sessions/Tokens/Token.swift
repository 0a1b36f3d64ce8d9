import ClientKeys
package import Encoding
package import HTTPTypes
import Hummingbird
import Logging
import Postgres
import Tenancy
import Web

/// A token response (RFC 6749, section 5.1).
package struct TokenReply {
    package let access_token: String
    let scheme: AccessToken.Scheme
    package let expires_in: Int
    /// Nil if the application requires `offline_access`, and the login has not requested it.
    package let refresh_token: String?
    let id_token: String?
    /// Nil for a session of an older version that granted no scope, because a scope has at least one token (RFC 6749, section 3.3).
    let scope: String?
    /// Only in the response of a token exchange (RFC 8693, section 2.2.1).
    package var issued_token_type: String?
}

extension TokenReply: JSONWritable {
    package func write(to json: inout JSONText) {
        json.object { json in
            json.member("access_token", access_token)
            json.member("token_type", scheme.rawValue)
            json.member("expires_in", expires_in)
            json.member("refresh_token", refresh_token)
            json.member("id_token", id_token)
            json.member("scope", scope)
            json.member("issued_token_type", issued_token_type)
        }
    }
}

extension TokenRoutes {
    /// The token endpoint. It authenticates the application, then runs the grant.
    @Sendable
    func token(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.reportingOutage(context, { try await endpoints.tenant(context) }) else {
            throw Problem.notFound("tenant")
        }
        let form = try await endpoints.postedForm(request, context, repeatable: TokenTarget.resourceOrAudience)
        // It comes before the authentication, because the first proof usually lacks a nonce, and an assertion works only once.
        let key = try endpoints.proof(in: request, context)?.key
        switch form["grant_type"] {
        case "authorization_code":
            return try await counted(.token, context) {
                try await tokens.redeemCode(form, key, try await authenticateToSignIn(request, form, tenant, context), tenant.tenant)
            }
        case "refresh_token":
            return try await counted(.refresh, context) {
                try await tokens.refreshTokens(form, key, try await authenticateToSignIn(request, form, tenant, context), tenant.tenant)
            }
        case GrantType.clientCredentials:
            return try await counted(.machine, context) {
                try await tokens.issueMachineToken(
                    form, key, try await endpoints.authenticate(request, form, tenant, context), tenant.tenant)
            }
        case GrantType.tokenExchange:
            return try await exchange(request, form, key, tenant, context)
        case GrantType.deviceCode:
            return try await device(request, form, key, tenant, context)
        case nil:
            throw OAuthError(.invalidRequest, "grant_type is missing.")
        default:
            throw OAuthError(
                .unsupportedGrantType,
                """
                grant_type must be authorization_code, refresh_token, \(GrantType.clientCredentials), \(GrantType.tokenExchange) or \
                \(GrantType.deviceCode).
                """)
        }
    }

    /// Authenticates the application. Its kind must support sign-in.
    private func authenticateToSignIn(
        _ request: Request, _ form: Form, _ tenant: TenantConfiguration, _ context: WebContext
    ) async throws -> Application {
        let application = try await endpoints.authenticate(request, form, tenant, context)
        guard application.kind != .machine
        else { throw OAuthError(.unauthorizedClient, "An application of kind machine does not support sign-in.") }
        return application
    }

    private func counted(_ step: Metrics.Step, _ context: WebContext, _ grant: () async throws -> TokenReply) async throws -> Response {
        do {
            let reply = try await endpoints.reportingOutage(context, grant)
            metrics.count(step, "ok")
            return try .json(reply, headers: [.pragma: "no-cache"])
        } catch {
            metrics.count(step, (error as? OAuthError)?.code.rawValue ?? "unexpected")
            throw error
        }
    }
}

extension HTTPField.Name {
    package static let pragma = HTTPField.Name("Pragma")!
}
