import Access
import Encoding
import Hummingbird
import Sessions
import SignIn
import Tenancy
import Web

extension MushuRoutes {
    /// Starts a login in a browser. Mushu's clients read the tokens from the URL of the redirect, so the application must allow this.
    ///
    /// Refusals are pages until the redirect URI is certain, and redirects with `error` and `error_description` afterwards.
    @Sendable
    func mushuAuthorize(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try endpoints.browserQuery(request)
        let client = context.parameters.get("client_id") ?? ""
        let id = ID<Application>(client)
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) })
        else { throw ErrorPage.unknownTenant.leading(toApplication: id) }
        // The base URL names the application. Another one in the query is a mistake.
        guard let id, let application = tenant.applications[id],
            [query["client_id"], query["app_id"]].allSatisfy({ $0?.isSame(as: client) ?? true })
        else { throw ErrorPage.unknownApplication }
        return try signIn.authorizeTokens(to: query["redirect_uri"], state: query["state"], for: application, of: tenant, request)
    }
}
