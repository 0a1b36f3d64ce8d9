import Access
import HTTPTypes
import Hummingbird
import Sessions
import Tenancy
import Web

extension MushuRoutes {
    /// Shows the user of an access token of this application, while the session is active.
    @Sendable
    func mushuUser(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        let presented = try bearerToken(request)
        let (token, user) = try await tokens.signedInUser(presented, of: application, tenant, at: endpoints.now())
        return try .json(UserReply(user, token))
    }

    /// The access token in the header.
    /// - Throws: `Refusal` 422 without the header, as for any missing part of a request.
    func bearerToken(_ request: Request) throws -> String {
        guard request.headers[.authorization] != nil else {
            throw Refusal(
                [.init(["header", "authorization"], "Send the access token: Bearer TOKEN.", isMissing: true)], outcome: "token_missing")
        }
        guard let presented = request.bearerToken else { throw OAuthError.badAccessToken }
        return presented
    }
}
