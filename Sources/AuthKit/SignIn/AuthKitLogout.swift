import Access
import Encoding
import Hummingbird
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
            return NoticePage(
                title: "You are signed out", detail: "The application can no longer act for you.", remedy: "You can close this page."
            )
            .response(.ok, requestID: context.record.current.requestID)
        }
        guard application.mayReturnAfterLogout(to: uri)
        else { throw ErrorPage.logoutURINotRegistered(uri, of: application, parameter: "return_to") }
        return .redirect(to: uri, status: .seeOther, cookies: [])
    }
}
