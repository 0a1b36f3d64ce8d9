import Access
import BrowserSessions
import Encoding
import Foundation
import Hummingbird
import Pages
import Postgres
import Tenancy
import Users
import Web

extension LogoutRoutes {
    /// Signs a person out who confirmed it (OpenID Connect RP-Initiated Logout 1.0, section 2). The sign-in of the browser ends, with the
    /// sessions of all applications that were started with it.
    ///
    /// Only a form of this server that this browser got counts. Any other request is a logout without an id_token. The same form again, by a
    /// double click or a reload, gets the same response.
    @Sendable
    func confirmLogout(_ request: Request, _ context: WebContext) async throws -> Response {
        // The query has the parameters of the logout, and the form has the decision.
        let (form, decision) = (try endpoints.browserQuery(request), try await endpoints.browserForm(request, context))
        let (tenant, now) = (try await tenant(form, context), endpoints.now())
        let (application, address) = try destination(form, tenant)
        let ticket = SignOutTicket(opening: decision["ticket"] ?? "", of: tenant.tenant.id, with: endpoints.keyring, at: now)
        guard request.isFromOwnPage(endpoints.origin(context)) else { return try await leave(form, tenant, request, context) }
        // A failing host hides the cookie, so nothing ends. Without this page, the person would believe the opposite.
        guard tenant.tenant.addresses.allowsBrowserSessions else { return notSignedOut(of: application, tenant, request, context) }
        guard let ticket else { return try await leave(form, tenant, request, context) }
        guard let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
        else { return signedOut([], then: address, removingCookie: false, tenant, request, context) }
        // The browser may have signed in again since the question.
        guard cookie.session == ticket.session else { return try await leave(form, tenant, request, context) }
        let ended = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(pool, tenant: tenant.tenant.id).transaction { db in
                try await Session.endAll(
                    inBrowsers: [cookie.session], of: cookie.user, tenant.tenant.id, because: .logout, .logout, actor: application?.id,
                    at: now, in: db)
            }
        }
        return signedOut(ended, then: address, removingCookie: true, tenant, request, context)
    }

    /// The page that asks the person whether to end the sign-in of the browser. Nil if the cookie signs nobody in.
    /// - Parameters:
    ///   - form: the parameters of the logout.
    ///   - application: the application that the person comes from.
    ///   - address: the address to which the browser returns.
    func question(
        _ cookie: BrowserCookie, _ form: Form, from application: Application?, then address: String?, _ tenant: TenantConfiguration,
        _ request: Request, _ context: WebContext
    ) async throws -> Response? {
        let now = endpoints.now()
        let user = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(pool, tenant: tenant.tenant.id).repeatable
                .run(BrowserSession.user(of: cookie, tenant.tenant, at: now)).first(User.init)
        }
        guard let user else { return nil }
        let parameters = Form.encode([
            "client_id": application?.id.description, "post_logout_redirect_uri": form["post_logout_redirect_uri"], "state": form["state"],
            "ui_locales": form["ui_locales"],
        ])
        context.record.note(outcome: "logout_unconfirmed")
        return SignOutPage(
            action: "\(tenant.tenant.path)/oauth2/logout/confirmation?\(parameters)",
            ticket: SignOutTicket(cookie.session, of: tenant.tenant.id, at: now).sealed(with: endpoints.keyring), user: user.label,
            address: address
        ).response(in: PageFrame(request, tenant, context))
    }
}
