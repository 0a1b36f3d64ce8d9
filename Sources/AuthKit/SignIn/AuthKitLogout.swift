import Access
import Encoding
import Hummingbird
import Pages
import Sealing
import Sessions
import Tenancy
import Web

extension AuthKitSignInRoutes {
    /// Ends a session and sends the browser back to the application. The session ID of the access token proves the sign-in, because it
    /// contains a MAC. It is checked before any statement, because anyone may call. A session that is already over does not change.
    @Sendable
    func authKitLogout(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try endpoints.browserQuery(request)
        guard let id = form["session_id"].flatMap({ WorkOSSessionID(proven: $0, with: endpoints.keyring) }), let client = id.application,
            let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.find(application: client, context) }),
            tenant.tenant.status == .active, let application = tenant.applications[client]
        else { throw ErrorPage.unknownSession }
        context.record.note(tenant: tenant.tenant.slug)
        try await endpoints.showingOutage(.outage, context) {
            try await tokens.logOut(id.session, of: application, tenant.tenant, at: endpoints.now())
        }
        guard let uri = form["return_to"] else {
            return NoticePage(title: .youAreSignedOut, detail: .applicationCannotActForYou, remedy: [.youCanCloseThisPage])
                .response(.ok, in: PageFrame(request, tenant, context))
        }
        guard application.mayReturnAfterLogout(to: uri)
        else {
            throw ErrorPage.logoutURINotRegistered(
                uri, of: application, parameter: "return_to", issuer: endpoints.issuer(tenant.tenant))
        }
        return .redirect(to: uri, status: .seeOther, cookies: [])
    }
}
