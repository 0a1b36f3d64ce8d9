package import Access
import BrowserSessions
import Encoding
package import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Postgres
import Tenancy
import Web

extension ErrorPage {
    static let logoutURIWithoutClient = ErrorPage(
        outcome: "logout_client_missing", status: .badRequest, title: .noWayBack, detail: .requestNamesNoApplication,
        remedy: .returnToTheApplication, .developersSendTheClientID)
    static let hintUnreadable = ErrorPage(
        outcome: "hint_unreadable", status: .badRequest, title: .youAreNotSignedOut, detail: .hintIsUnreadable,
        remedy: .signOutInTheApplication, .developersRevokeTheToken)
    /// - Parameters:
    ///   - uri: the request's URI. It is shown as text and is not a link.
    ///   - parameter: the name of the request's parameter.
    ///   - issuer: the tenant's issuer.
    package static func logoutURINotRegistered(
        _ uri: String, of application: Application, parameter: String = "post_logout_redirect_uri", issuer: String
    ) -> ErrorPage {
        ErrorPage(
            outcome: "logout_uri_not_registered", status: .badRequest, title: .youAreSignedOut, detail: .noWayBackToTheAddress,
            remedy: registration(of: uri, application.logoutURIs, application), values: [.parameter: parameter, .field: "logout_uris"],
            facts: [.init(.application, application.name), .init(parameter: parameter, shown(uri))],
            laterFacts: registered(application.logoutURIs, issuer: issuer)
        ).leading(to: application)
    }
    /// - Parameter uri: as above.
    static func cannotReturn(_ uri: String, to application: Application, issuer: String) -> ErrorPage {
        let parameter = "post_logout_redirect_uri"
        return ErrorPage(
            outcome: "logout_uri_not_registered", status: .badRequest, title: .noWayBack, detail: .addressIsNotRegistered,
            remedy: .returnToTheApplication, registration(of: uri, application.logoutURIs, application),
            values: [.parameter: parameter, .field: "logout_uris"],
            facts: [.init(.application, application.name), .init(parameter: parameter, shown(uri))],
            laterFacts: registered(application.logoutURIs, issuer: issuer)
        ).leading(to: application)
    }
}

extension LogoutRoutes {
    /// The end session endpoint (OpenID Connect RP-Initiated Logout 1.0). An application sends the browser here after it has ended its own
    /// sign-in.
    ///
    /// The session of the id_token in the request ends. If the tenant's applications share one sign-in, the sign-in of the browser ends too
    /// (section 2), with the sessions of all applications that were started with it. Without an id_token no session ends, because a link
    /// proves nothing about its sender (section 6). A page then asks the person, if the browser has a sign-in (ConfirmLogout). The browser
    /// returns to a URI that is registered for the named `client_id`. It is never sent elsewhere (section 3).
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
        let tenant = try await tenant(form, context)
        guard let presented = form["id_token_hint"] else { return try await leave(form, tenant, request, context) }
        let hint = try await endpoints.showingOutage(.outage, context) {
            try await signingKeys.hint(presented, of: tenant.tenant) { endpoints.isIssuer($0, everOf: tenant.tenant) }
        }
        guard let hint, let application = tenant.applications[hint.aud],
            (form["client_id"] ?? hint.aud.description).isSame(as: hint.aud.description)
        else { throw ErrorPage.hintUnreadable }

        // A session that is already over does not change. The person is signed out in any case.
        // The cookie counts even if the tenant's applications no longer share one sign-in, because they may again before the cookie expires.
        let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
        let ended = try await endpoints.showingOutage(.outage, context) {
            try await end(hint, cookie, application, tenant.tenant, at: endpoints.now())
        }
        let uri = form["post_logout_redirect_uri"]
        // An error page sets no cookie. The browser keeps one that is no longer valid.
        guard uri.map(application.mayReturnAfterLogout) ?? true else {
            throw ErrorPage.logoutURINotRegistered(uri ?? "", of: application, issuer: endpoints.issuer(tenant.tenant))
        }
        // Another user's sign-in does not change, unless the person wants it (section 2).
        let address = uri.map { Self.address(afterLogout: $0, state: form["state"]) }
        if let cookie, cookie.user != hint.sub,
            let question = try await question(cookie, form, from: application, then: address, tenant, request, context)
        {
            return question
        }
        let isOwn = cookie?.user == hint.sub
        return signedOut(ended, then: address, removingCookie: isOwn, tenant, request, context)
    }

    /// The tenant of a logout.
    func tenant(_ form: Form, _ context: WebContext) async throws -> TenantConfiguration {
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        // The limit is the same as for a login's state.
        guard (form["state"] ?? "").utf8.count <= AuthorizationRequest.longestState else { throw ErrorPage.malformed }
        return tenant
    }

    /// Responds to a logout that is done. A page with frames lets the applications end their own sign-ins first.
    /// - Parameter ended: the sessions of a browser that ended.
    func signedOut(
        _ ended: [EndedSession], then address: String?, removingCookie removes: Bool, _ tenant: TenantConfiguration, _ request: Request,
        _ context: WebContext
    ) -> Response {
        let removals = removes ? [BrowserCookie.removal(for: tenant.tenant, publicURL: endpoints.publicURL)] : []
        let frames = frames(of: ended, tenant)
        guard frames.isEmpty else {
            return SignedOutPage(frames, then: address).response(in: PageFrame(request, tenant, context)).setting(removals)
        }
        guard let address else {
            return NoticePage(title: .youAreSignedOut, detail: .applicationCannotActForYou, remedy: [.youCanCloseThisPage])
                .response(.ok, in: PageFrame(request, tenant, context)).setting(removals)
        }
        return .redirect(to: address, status: .seeOther, cookies: removals)
    }

    /// How many applications get a frame. The back channel notifies all.
    private static let mostFrames = 20

    /// The frames that notify the applications of ended sessions (OpenID Connect Front-Channel Logout 1.0, section 3). Each application gets
    /// one, for its newest session, because it knows no earlier one of this browser. The newest applications come first.
    private func frames(of ended: [EndedSession], _ tenant: TenantConfiguration) -> [SignedOutPage.Frame] {
        // The bytes of an ID are in the order of time.
        let newest = ended.sorted { $0.session.description > $1.session.description }
        var (frames, seen): ([SignedOutPage.Frame], Set<ID<Application>>) = ([], [])
        for one in newest where frames.count < Self.mostFrames && seen.insert(one.application).inserted {
            guard let application = tenant.applications[one.application], let uri = application.frontchannelLogoutURI,
                let origin = RedirectURI.origin(of: uri)
            else { continue }
            // The application compares the issuer with that of its tokens (section 3).
            let issuer = endpoints.issuer(tenant.tenant, after: one.host)
            let parameters = [("iss", issuer), ("sid", one.session.description)]
            let address = application.hasFrontchannelSession ? ReturnAddress.url(uri, with: parameters) : uri
            frames.append(.init(address: address, origin: origin))
        }
        return frames
    }

    /// - Returns: the sessions that ended in the browser.
    private func end(
        _ hint: IDTokenHint, _ cookie: BrowserCookie?, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> [EndedSession] {
        let database = OwnerDatabase(pool, tenant: tenant.id)
        let own = cookie.flatMap { $0.user == hint.sub ? $0.session : nil }
        func endAll() async throws -> [EndedSession] {
            try await database.transaction { db in
                try await Session.endAll(
                    inBrowsers: own.map { [$0] } ?? [], and: hint.sid, of: hint.sub, tenant.id, because: .logout, .logout,
                    actor: application.id, at: now, in: db)
            }
        }
        // The browser may have signed in again since the last logout with the same id_token.
        if own != nil { return try await endAll() }
        var ended: [EndedSession] = []
        try await spent.runOnce(.logOut(hint.sid), by: .init(application, tenant), at: now) {
            if tenant.settings.singleSignOn {
                // The request may not be the browser's. The response tells nothing about other applications.
                ended = try await endAll().filter { $0.application == application.id }
                return
            }
            _ = try await database.run(Session.end(hint.sid, of: tenant.id, because: .logout, actor: application.id, at: now))
        }
        return ended
    }

    /// Responds to a logout without an id_token. If the browser has a sign-in, the person decides. Otherwise it ends no session and writes
    /// nothing.
    func leave(
        _ form: Form, _ tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (application, address) = try destination(form, tenant)
        let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
        if let cookie, let question = try await question(cookie, form, from: application, then: address, tenant, request, context) {
            return question
        }
        if let address { return .redirect(to: address, status: .seeOther, cookies: []) }
        guard !tenant.tenant.settings.singleSignOn else { return notSignedOut(of: application, tenant, request, context) }
        return NoticePage(title: .serverStoresNoSignIn, detail: .onlyTheApplicationStoresIt, remedy: [.youCanCloseThisPage])
            .response(.ok, in: PageFrame(request, tenant, context))
    }

    /// Responds to a person whose sign-in in this browser continues.
    func notSignedOut(
        of application: Application?, _ tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) -> Response {
        NoticePage(
            title: .youAreNotSignedOut, detail: .requestIsUnproven, remedy: [.signOutInTheApplication],
            loginURL: application?.loginURLOnPages
        ).response(.ok, in: PageFrame(request, tenant, context))
    }

    /// The application of a logout without an id_token, and the address to which the browser returns.
    func destination(_ form: Form, _ tenant: TenantConfiguration) throws(ErrorPage) -> (Application?, address: String?) {
        var application: Application?
        if let client = form["client_id"] {
            application = ID<Application>(client).flatMap { tenant.applications[$0] }
            guard application != nil else { throw .unknownApplication }
        }
        guard let uri = form["post_logout_redirect_uri"] else { return (application, nil) }
        guard let application else { throw .logoutURIWithoutClient }
        guard application.mayReturnAfterLogout(to: uri) else {
            throw .cannotReturn(uri, to: application, issuer: endpoints.issuer(tenant.tenant))
        }
        return (application, Self.address(afterLogout: uri, state: form["state"]))
    }

    private static func address(afterLogout uri: String, state: String?) -> String {
        state.map { ReturnAddress.url(uri, with: [("state", $0)]) } ?? uri
    }
}

extension ErrorPage {
    package static let unknownSession = ErrorPage(
        outcome: "unknown_session", status: .badRequest, title: .youAreNotSignedOut, detail: .sessionIDIsUnknown,
        remedy: .signOutInTheApplication, .developersSendTheSessionID)
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
