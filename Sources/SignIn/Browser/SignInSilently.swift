import Access
import Accounts
import BrowserSessions
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

// One sign-in for all applications of a tenant. A sign-in with Apple starts a session of the browser, and later authorization requests of
// the same browser get their codes without Apple.
extension SignInRoutes {
    /// Responds to an authorization request without Apple.
    ///
    /// It costs one statement, and only if the request has a cookie of this server. It costs a second one if the session of the browser does
    /// not serve the request, or if the application requires a name.
    /// - Returns: nil if the user must sign in with Apple. The response may be a page that asks for consent.
    /// - Throws: a `RedirectedError` if the request forbids a sign-in with Apple (`prompt=none`).
    func signInSilently(
        _ asked: AuthorizationRequest, _ cookie: BrowserCookie?, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response? {
        // A frame may ask, because nothing is shown in it (OpenID Connect Core, section 3.1.2.1). Everything else needs a whole window.
        let isOpen = asked.prompt == .any || asked.prompt == .consent
        guard asked.prompt == .none || isOpen && request.isTopLevelNavigation else { return nil }
        let refusal: RedirectedError
        do {
            return try await endpoints.showingOutage(.outage, context) {
                guard let cookie else { throw SilentRefusal.noSession }
                // A cookie that is over costs its statements once per minute.
                return try await signInNatively.tokens.spent.refuse(
                    .signInSilently(cookie.session, generation: cookie.generation), by: .init(asked.application, tenant.tenant),
                    at: endpoints.now(), isFinal: { ($0 as? SilentRefusal)?.isFinal == true }
                ) {
                    try await silentAnswer(to: asked, cookie, for: tenant, request, context)
                }
            }
        } catch let error as SilentRefusal {
            if error.needsConsent, isOpen, let cookie { return try await askForConsent(asked, cookie, for: tenant, request, context) }
            refusal = RedirectedError(error.code, error.description, to: asked.returnAddress)
        }
        guard asked.prompt == .none else { return nil }
        metrics.count(.authorize, refusal.code.rawValue)
        throw refusal
    }

    private func silentAnswer(
        to asked: AuthorizationRequest, _ cookie: BrowserCookie, for tenant: TenantConfiguration, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        guard let connection = tenant.connection else { throw SilentRefusal.noSession }
        if let hint = asked.hint {
            guard try await expectedUser(hint, tenant.tenant) == cookie.user else { throw SilentRefusal.otherUser }
        }
        guard silentSignIns.take(cookie.session.uuid, at: .now).isGranted else { throw SilentRefusal.tooMany }
        let (application, owner, now) = (asked.application, tenant.tenant, endpoints.now())
        let consent = asked.prompt == .consent ? nil : requiredConsent(of: cookie.user, asked, owner)
        let wanted = BrowserSession.Wanted(maxAge: asked.maxAge, consent: consent)
        let use = BrowserSession.use(cookie, of: owner, wanted, at: now)
        guard let session = try await OwnerDatabase(signInNatively.pool, tenant: owner.id).run(use).first(BrowserSession.init) else {
            throw SilentRefusal(try await unusableState(of: cookie, wanted, by: application.id, owner, at: now))
        }
        guard asked.prompt != .consent else { throw SilentRefusal(.notAllowed) }
        return try await silentAnswer(to: asked, session, cookie, connection, for: tenant, request, context, at: now)
    }

    /// The reason why the session of a cookie does not serve a request. A cookie that two parties have ends the session.
    func unusableState(
        of cookie: BrowserCookie, _ wanted: BrowserSession.Wanted, by application: ID<Application>, _ tenant: Tenant, at now: Date
    ) async throws -> BrowserSession.State {
        let state = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id)
            .run(BrowserSession.state(cookie, of: tenant, wanted, at: now)).first { try $0.get("state", as: BrowserSession.State.self) }
        if state == .reused { try await signInNatively.tokens.endReused(cookie, by: application, of: tenant, at: now) }
        return state ?? .over
    }

    /// Selects a row if the user has allowed the application of a third party. Nil for the tenant's own applications.
    func requiredConsent(of user: ID<User>, _ asked: AuthorizationRequest, _ tenant: Tenant) -> SQL? {
        let application = asked.application
        guard application.isThirdParty else { return nil }
        return Consent.covering(user, application.id, tenant.id, scope: asked.scope, apis: asked.apis)
    }

    /// The response with a code of a session that serves the request, or the page that asks for the name of the user.
    /// - Throws: a `RedirectedError` if the request forbids the page (`prompt=none`).
    func silentAnswer(
        to asked: AuthorizationRequest, _ session: BrowserSession, _ cookie: BrowserCookie, _ connection: Connection,
        for tenant: TenantConfiguration, _ request: Request, _ context: WebContext, at now: Date
    ) async throws -> Response {
        let code = AuthorizationCode(
            login: ID(at: now), tenant: tenant.tenant.id, application: asked.application.id, user: session.user,
            connection: connection.ownership,
            redirectURI: asked.returnAddress.redirectURI, codeChallenge: asked.codeChallenge, nonce: asked.nonce, scope: asked.scope,
            apis: asked.apis, key: asked.key, authenticatedAt: session.authenticatedAt, device: Device(request, context),
            browser: .init(session.id, signedInAt: session.signedInAt), at: now)
        let cookies = successor(of: cookie, session, for: tenant.tenant, at: now)
        if asked.prompt == .none {
            guard try await !needsName(code.user, asked.application, tenant.tenant) else {
                metrics.count(.authorize, RedirectedError.Code.interactionRequired.rawValue)
                var refusal = RedirectedError(
                    .interactionRequired, "The application requires the user's name. A page must ask for it. Leave out prompt.",
                    to: asked.returnAddress)
                refusal.cookies = cookies
                throw refusal
            }
        } else if try await needsName(code.user, asked.application, tenant.tenant) {
            metrics.count(.authorize, "name")
            let ticket = QuestionTicket(
                .name, code, to: asked.returnAddress, after: nil, maxAge: asked.maxAge, asksConsent: asked.asksConsent,
                atHost: tenant.tenant.addresses.current, at: now)
            let question = try question(ticket, of: code, to: asked.returnAddress, asked.application)
            return namePage(question, for: tenant, request, context).setting(cookies)
        }
        metrics.count(.authorize, "silent")
        return asked.returnAddress.answer(
            [("code", code.sealed(with: endpoints.keyring))], for: request, in: context.record.current.language, cookies: cookies)
    }

    private func expectedUser(_ hint: AuthorizationRequest.Hint, _ tenant: Tenant) async throws -> ID<User>? {
        switch hint {
        case .user(let user): user
        case .idToken(let token): try await signInNatively.tokens.hint(token, of: tenant)?.sub
        }
    }

    /// Starts the session of the browser after a sign-in with Apple, and adds it to the code.
    /// - Returns: the cookie.
    func startBrowserSession(
        with code: inout AuthorizationCode, _ attempt: LoginAttempt, _ tenant: Tenant, at now: Date
    ) async throws -> String {
        let started = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).run(
            BrowserSession.start(
                for: code.user, of: tenant, continuing: attempt.earlierSession, authenticatedAt: code.authenticatedAt,
                userAgent: code.device.userAgent, address: code.device.address, at: now)
        ).first(BrowserSession.init)
        guard let started else { throw CallbackRefusal.userEnded }
        code.browser = .init(started.id, signedInAt: nil)
        return setting(started, for: tenant, at: now)
    }

    /// The cookie after the one of a request, if its time has come. Most responses set no cookie, because one that arrives late would replace
    /// a newer cookie.
    func successor(of cookie: BrowserCookie, _ session: BrowserSession, for tenant: Tenant, at now: Date) -> [String] {
        session.generation != cookie.generation ? [setting(session, for: tenant, at: now)] : []
    }

    private func setting(_ session: BrowserSession, for tenant: Tenant, at now: Date) -> String {
        session.cookie.set(for: tenant, seconds: session.seconds(at: now), publicURL: endpoints.publicURL, with: endpoints.keyring)
    }
}

/// The reason why a user cannot sign in without Apple (OpenID Connect Core, section 3.1.2.6).
private struct SilentRefusal: Error {
    let code: RedirectedError.Code
    let description: String
    /// Whether the cookie cannot succeed later.
    var isFinal = false
    /// Whether the user can allow the application on a page.
    var needsConsent = false

    static let noSession = SilentRefusal(.loginRequired, AuthorizationRequest.signInRequired)
    static let tooMany = SilentRefusal(.temporarilyUnavailable, "The browser signs in too often. Try again in a minute.")
    static let otherUser = SilentRefusal(.loginRequired, "The user of the id_token_hint is not signed in with this browser.")

    private init(_ code: RedirectedError.Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    private static let consentRequired = {
        var refusal = SilentRefusal(
            .consentRequired,
            "The application belongs to a third party. The user must allow it once for these scopes and APIs. Leave out prompt.")
        refusal.needsConsent = true
        return refusal
    }()

    private static let over = {
        var refusal = noSession
        refusal.isFinal = true
        return refusal
    }()

    init(_ state: BrowserSession.State) {
        self =
            switch state {
            case .over, .reused: .over
            case .usable: .noSession
            case .old: .init(.loginRequired, "Apple authenticated the user longer ago than max_age allows.")
            case .notAllowed: .consentRequired
            }
    }
}
