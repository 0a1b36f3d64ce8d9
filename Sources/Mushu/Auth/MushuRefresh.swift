import Hummingbird
import Sessions
import Tenancy
import Web

extension MushuRoutes {
    /// Renews the tokens of a session. Only the refresh token counts, because the access token may have expired. It costs nothing.
    @Sendable
    func mushuRefresh(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        let (sent, now) = (try await TokenPair(request, upTo: context.maxUploadSize), endpoints.now())
        let renewed = try await tokens.refreshTokens(sent.refreshToken, application, tenant.tenant, at: now)
        let (token, user) = try await tokens.signedInUser(renewed.access_token, of: application, tenant, at: now)
        return try .json(
            SessionReply(
                user: UserReply(user, token),
                tokens: .init(access_token: renewed.access_token, refresh_token: renewed.refresh_token ?? "")))
    }
}
