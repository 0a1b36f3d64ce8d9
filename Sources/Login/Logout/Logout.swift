import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension ErrorPage {
    static let nobodyToSignOut = ErrorPage(
        outcome: "no_hint", status: .badRequest, title: "There is nothing to sign out of here",
        detail:
            "This server keeps nobody signed in by itself: each application does, and the request does not say whose sign-in should end.",
        remedy: "Sign out in the application. If you are its developer: send the id_token along, as id_token_hint.")
    static let hintUnreadable = ErrorPage(
        outcome: "hint_unreadable", status: .badRequest, title: "You are not signed out",
        detail: "The request's id_token_hint is not an id_token that this server gave to the application, or its key has been replaced.",
        remedy: "Sign out in the application. If you are its developer: revoke the refresh token instead.")
    static let logoutURINotRegistered = ErrorPage(
        outcome: "logout_uri_not_registered", status: .badRequest, title: "You are signed out",
        detail:
            "But this page cannot send you on: the request's post_logout_redirect_uri is not one that is registered for the application.",
        remedy: "If you are its developer: register it as a logout URI, letter by letter.")
}

extension Login {
    /// The end session endpoint (OpenID Connect RP-Initiated Logout 1.0): an application sends the browser here to end the session
    /// whose id_token it shows, and gets it back.
    ///
    /// There is no sign-in of ours in the browser that could be ended or asked about (section 2). So the id_token alone decides:
    /// without one of ours nothing ends, whoever's link it was, and nobody is redirected (section 6). Nor is anybody ever, but to a
    /// URI that is registered.
    @Sendable
    func logout(_ request: Request, _ context: WebContext) async throws -> Response {
        try await logout(try browserQuery(request), context)
    }

    /// The same by POST, which keeps the id_token out of the browser's history (section 2).
    @Sendable
    func logoutByPost(_ request: Request, _ context: WebContext) async throws -> Response {
        try await logout(try await browserForm(request, context), context)
    }

    private func logout(_ form: Form, _ context: WebContext) async throws -> Response {
        guard let tenant = try await outageShown(.outage, context, { try await tenant(context) }) else { throw ErrorPage.unknownTenant }
        // What is too long to keep at a login is too long to send back here.
        guard (form["state"] ?? "").utf8.count <= 1024 else { throw ErrorPage.malformed }
        guard let presented = form["id_token_hint"] else { throw ErrorPage.nobodyToSignOut }
        let hint = try await outageShown(.outage, context) {
            try await signingKeys.hint(presented, of: tenant.tenant, issuer: issuer(tenant.tenant))
        }
        guard let hint, let application = tenant.applications[hint.aud],
            (form["client_id"] ?? hint.aud.description).isSame(as: hint.aud.description)
        else { throw ErrorPage.hintUnreadable }

        // One that is over stays as it is: the person is signed out all the same.
        _ = try await outageShown(.outage, context) {
            try await OwnerDatabase(pool, tenant: tenant.tenant.id).run(
                Session.end(hint.sid, of: tenant.tenant.id, because: .logout, actor: application.id, at: now()))
        }
        guard let uri = form["post_logout_redirect_uri"] else {
            return NoticePage(
                title: "You are signed out", detail: "The application can no longer act for you.", remedy: "You can close this page."
            )
            .response(.ok, requestID: context.record.current.requestID)
        }
        guard application.mayReturnAfterLogout(to: uri) else { throw ErrorPage.logoutURINotRegistered }
        guard let state = form["state"] else { return .redirect(to: uri, status: .seeOther, cookies: []) }
        return .redirect(to: uri, adding: [("state", state)])
    }
}
