import Hummingbird
import Sessions
import Tenancy
import Web

private struct Reply: Encodable {
    let status = "logged_out"
}

extension MushuRoutes {
    /// Ends the session of the refresh token, or else of the access token. A session that has ended is not an error.
    @Sendable
    func mushuLogout(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        let (sent, now) = (try await TokenPair(request, upTo: context.maxUploadSize), endpoints.now())
        for token in [sent.refreshToken, sent.accessToken] {
            if try await tokens.revoke(token, by: application, of: tenant.tenant, at: now) { return try .json(Reply()) }
        }
        throw OAuthError(.invalidGrant, "Neither token belongs to a session of this application.")
    }
}
