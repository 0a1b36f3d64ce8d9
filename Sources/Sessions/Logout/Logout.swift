package import Access
import BrowserSessions
import Encoding
package import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Tenancy
import Web

extension ErrorPage {
    static let logoutURIWithoutClient = ErrorPage(
        outcome: "logout_client_missing", status: .badRequest, title: "This page cannot send you back",
        detail: "The request has a post_logout_redirect_uri, but it does not name the application.",
        remedy: "Return to the application. If you are its developer, send client_id, or the id_token as id_token_hint.")
    static let hintUnreadable = ErrorPage(
        outcome: "hint_unreadable", status: .badRequest, title: "You are not signed out",
        detail: "The request's id_token_hint is not an id_token of the application, or its signing key has been replaced.",
        remedy: "Sign out in the application. If you are its developer, revoke the refresh token instead.")
    /// - Parameters:
    ///   - uri: the request's URI. It is shown as text and is not a link.
    ///   - parameter: the name of the request's parameter.
    package static func logoutURINotRegistered(
        _ uri: String, of application: Application, parameter: String = "post_logout_redirect_uri"
    ) -> ErrorPage {
        ErrorPage(
            outcome: "logout_uri_not_registered", status: .badRequest, title: "You are signed out",
            detail: "This page cannot send you back. The request's \(parameter) is not registered for this application.",
            remedy:
                "If you develop the application, \(registration(of: uri, in: "logout_uris", application.logoutURIs, application)).",
            facts: [("Application", application.name), (parameter, shown(uri))])
    }
    /// - Parameter uri: as above.
    static func cannotReturn(_ uri: String, to application: Application) -> ErrorPage {
        ErrorPage(
            outcome: "logout_uri_not_registered", status: .badRequest, title: "This page cannot send you back",
            detail: "The request's post_logout_redirect_uri is not registered for this application.",
            remedy: """
                Return to the application. If you develop it, \
                \(registration(of: uri, in: "logout_uris", application.logoutURIs, application)).
                """,
            facts: [("Application", application.name), ("post_logout_redirect_uri", shown(uri))])
    }
}

extension LogoutRoutes {
    /// The end session endpoint (OpenID Connect RP-Initiated Logout 1.0). An application sends the browser here after it has ended its own
    /// sign-in.
    ///
    /// The session of the id_token in the request ends. If the tenant's applications share one sign-in, the sign-in of the browser ends too
    /// (section 2), with the sessions of all applications that were started with it. Without an id_token no session ends, because a link
    /// proves nothing about its sender (section 6). The browser then still returns to a URI that is registered for the named `client_id`. It
    /// is never sent elsewhere (section 3).
    @Sendable
    func logout(_ request: Request, _ context: WebContext) async throws -> Response {
        try await logout(try endpoints.browserQuery(request), request, context)
    }

    /// The end session endpoint by POST, which prevents the id_token from entering the browser's history (section 2).
    @Sendable
    func logoutByPost(_ request: Request, _ context: WebContext) async throws -> Response {
        try await logout(try await endpoints.browserForm(request, context), request, context)
    }

    private func logout(_ form: Form, _ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        // The limit is the same as for a login's state.
        guard (form["state"] ?? "").utf8.count <= AuthorizationRequest.longestState else { throw ErrorPage.malformed }
        guard let presented = form["id_token_hint"] else { return try leave(form, tenant, context) }
        let hint = try await endpoints.showingOutage(.outage, context) {
            try await signingKeys.hint(presented, of: tenant.tenant, issuer: endpoints.issuer(tenant.tenant))
        }
        guard let hint, let application = tenant.applications[hint.aud],
            (form["client_id"] ?? hint.aud.description).isSame(as: hint.aud.description)
        else { throw ErrorPage.hintUnreadable }

        // A session that is already over does not change. The person is signed out in any case.
        let cookie = browserCookie(in: request, of: tenant.tenant)
        try await endpoints.showingOutage(.outage, context) { try await end(hint, cookie, application, tenant.tenant, at: endpoints.now()) }
        // Another user's sign-in does not change.
        let removal = cookie?.user == hint.sub ? BrowserCookie.removal(for: tenant.tenant, publicURL: endpoints.publicURL) : nil
        guard let uri = form["post_logout_redirect_uri"] else {
            let page = NoticePage(
                title: "You are signed out", detail: "The application can no longer act for you.", remedy: "You can close this page."
            )
            return page.response(.ok, requestID: context.record.current.requestID).setting(removal)
        }
        // An error page sets no cookie. The browser keeps one that is no longer valid.
        guard application.mayReturnAfterLogout(to: uri) else { throw ErrorPage.logoutURINotRegistered(uri, of: application) }
        return Response.afterLogout(to: uri, state: form["state"]).setting(removal)
    }

    private func end(
        _ hint: IDTokenHint, _ cookie: BrowserCookie?, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws {
        let database = OwnerDatabase(pool, tenant: tenant.id)
        let own = cookie.flatMap { $0.user == hint.sub ? $0.session : nil }
        func endAll() async throws {
            try await database.transaction { db in
                try await Session.endAll(
                    inBrowsers: own.map { [$0] } ?? [], and: hint.sid, of: hint.sub, tenant.id, because: .logout, .logout,
                    actor: application.id, at: now, in: db)
            }
        }
        // The browser may have signed in again since the last logout with the same id_token.
        if own != nil { return try await endAll() }
        try await spent.runOnce(.logOut(hint.sid), by: .init(application, tenant), at: now) {
            if tenant.settings.singleSignOn { return try await endAll() }
            _ = try await database.run(Session.end(hint.sid, of: tenant.id, because: .logout, actor: application.id, at: now))
        }
    }

    /// The cookie of the browser, if the tenant's applications share one sign-in.
    private func browserCookie(in request: Request, of tenant: Tenant) -> BrowserCookie? {
        guard tenant.settings.singleSignOn else { return nil }
        return BrowserCookie(in: request, of: tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
    }

    /// Responds to a logout without an id_token. It ends no session and writes nothing.
    private func leave(_ form: Form, _ tenant: TenantConfiguration, _ context: WebContext) throws(ErrorPage) -> Response {
        var application: Application?
        if let client = form["client_id"] {
            application = ID<Application>(client).flatMap { tenant.applications[$0] }
            guard application != nil else { throw .unknownApplication }
        }
        guard let uri = form["post_logout_redirect_uri"] else {
            guard !tenant.tenant.settings.singleSignOn else {
                return NoticePage(
                    title: "You are not signed out",
                    detail: "The request does not prove that it is yours, so your sign-in in this browser does not change.",
                    remedy: "Sign out in the application. If you are its developer, send the id_token as id_token_hint."
                )
                .response(.ok, requestID: context.record.current.requestID)
            }
            return NoticePage(
                title: "This server does not store your sign-in",
                detail: "Only the application does. After it has signed you out, no further step is needed.",
                remedy: "You can close this page."
            )
            .response(.ok, requestID: context.record.current.requestID)
        }
        guard let application else { throw .logoutURIWithoutClient }
        guard application.mayReturnAfterLogout(to: uri) else { throw .cannotReturn(uri, to: application) }
        return .afterLogout(to: uri, state: form["state"])
    }
}

extension Response {
    fileprivate func setting(_ cookie: String?) -> Response {
        guard let cookie else { return self }
        var response = self
        response.headers.append(HTTPField(name: .setCookie, value: cookie))
        return response
    }

    fileprivate static func afterLogout(to uri: String, state: String?) -> Response {
        guard let state else { return .redirect(to: uri, status: .seeOther, cookies: []) }
        return .redirect(to: uri, adding: [("state", state)])
    }
}

extension ErrorPage {
    package static let unknownSession = ErrorPage(
        outcome: "unknown_session", status: .badRequest, title: "You are not signed out",
        detail: "The request's session_id is not the ID of a session.",
        remedy: "Sign out in the application. If you are its developer, send the sid of the access token as session_id.")
}

extension Tokens {
    /// Ends an application's session, because its user signed out. A session that is already over does not change.
    package func logOut(_ session: ID<Session>, of application: Application, _ tenant: Tenant, at now: Date) async throws {
        try await spent.runOnce(.logOut(session), by: .init(application, tenant), at: now) {
            _ = try await OwnerDatabase(pool, tenant: tenant.id).run(
                Session.end(session, of: tenant.id, because: .logout, actor: application.id, at: now))
        }
    }
}
