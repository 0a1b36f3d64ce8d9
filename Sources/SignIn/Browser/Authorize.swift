import APIs
import Access
import Apple
import BrowserSessions
import Encoding
package import Hummingbird
import Logging
import Pages
import Postgres
package import Sessions
package import Tenancy
import Web

extension SignInRoutes {
    /// The authorization endpoint of a tenant.
    @Sendable
    func authorize(_ request: Request, _ context: WebContext) async throws -> Response {
        try await authorize(try endpoints.browserQuery(request, repeatable: TokenTarget.resource), request, context)
    }

    /// The authorization endpoint by POST (OpenID Connect Core, section 3.1.2.1). It serves requests that are too long for a URL or must
    /// not be visible in one.
    @Sendable
    func authorizeByPost(_ request: Request, _ context: WebContext) async throws -> Response {
        try await authorize(try await endpoints.browserForm(request, context, repeatable: TokenTarget.resource), request, context)
    }

    /// The authorization endpoint for an application that knows only its client ID.
    @Sendable
    func authorizeByClient(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try endpoints.browserQuery(request, repeatable: TokenTarget.resource)
        guard let client = form["client_id"], let id = ID<Application>(client),
            let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.find(application: id, context) }),
            tenant.tenant.status == .active, !tenant.tenant.addresses.isExclusive
        else { throw ErrorPage.unknownApplication }
        context.record.note(tenant: tenant.tenant.slug)
        return try await answer(form, for: tenant, request, context, defaults: ["response_type": "code"])
    }

    private func authorize(_ form: Form, _ request: Request, _ context: WebContext) async throws -> Response {
        // For a page before the request is read.
        context.record.note(language: Language(askedIn: form)?.rawValue)
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant.leading(toApplication: form["client_id"].flatMap { ID<Application>($0) })
        }
        return try await answer(form, for: tenant, request, context)
    }

    /// Signs the user in without Apple if the browser allows it, shows the sign-in page, or starts a login attempt.
    ///
    /// A request may be one that the application pushed before. The browser's other parameters are ignored then, because the user could have
    /// changed them (RFC 9101, section 6.3; RFC 9126, section 4). Only `provider` counts, because the sign-in page sends it.
    private func answer(
        _ sent: Form, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext, defaults: [String: String] = [:]
    ) async throws -> Response {
        let pushed = try pushedRequest(sent, tenant)
        let form = try pushed?.form ?? sent
        // A query of the address was read just now.
        let isInAddress = pushed == nil && request.method == .get
        let language = Language(askedIn: form) ?? (isInAddress ? nil : request.askedLanguage)
        context.record.note(language: language?.rawValue)
        let asked = try AuthorizationRequest(
            form, from: tenant.applications, apis: try await apis(for: form, tenant, context), issuer: endpoints.issuer(tenant.tenant),
            otherIssuers: endpoints.issuers(tenant.tenant), slug: tenant.tenant.slug, defaults: defaults, isPushed: pushed != nil,
            hasSingleSignOn: tenant.tenant.settings.singleSignOn)
        let isStraight = sent["provider"]?.isSame(as: Self.apple) == true
        var cookie: BrowserCookie?
        if tenant.tenant.settings.singleSignOn {
            cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
            if !isStraight || asked.prompt == .none,
                let response = try await signInSilently(asked, cookie, for: tenant, request, context)
            {
                return response
            }
        }
        let page =
            isStraight
            ? nil
            : SignInPage(asked, straightTo: Self.apple, for: tenant, request, context) {
                query(ofButtonFor: asked, pushed, form, tenant, request)
            }
        return try begin(
            asked, delivering: .code, behind: page, for: tenant, request, earlierSession: cookie?.session, language: language)
    }

    /// The value of `provider` for the way straight to Apple.
    private static let apple = "apple"

    /// The parameters for the button of the sign-in page. A query stays. Other parameters are sealed, because they must not be visible in a
    /// URL. Nil if they are too long for that.
    private func query(
        ofButtonFor asked: AuthorizationRequest, _ pushed: PushedRequest?, _ form: Form, _ tenant: TenantConfiguration, _ request: Request
    ) -> String? {
        if pushed == nil, request.method == .get { return SignInPage.remainder(of: request.uri.query ?? "") }
        let now = endpoints.now()
        let sealed = pushed ?? PushedRequest(form, boundTo: nil, by: asked.application.id, of: tenant.tenant.id, at: now)
        return sealed.onPage(at: now).uri(with: endpoints.keyring).map { uri in
            Form.encode(["client_id": asked.application.id.description, "request_uri": uri])
        }
    }

    /// The request that the application pushed before, if the browser names one.
    private func pushedRequest(_ form: Form, _ tenant: TenantConfiguration) throws -> PushedRequest? {
        guard let uri = form["request_uri"], uri.begins(with: PushedRequest.prefix) else { return nil }
        let application = form["client_id"].flatMap { ID<Application>($0) }.flatMap { tenant.applications[$0] }
        func refused(_ page: ErrorPage) -> ErrorPage { application.map(page.leading(to:)) ?? page }
        do throws(PushedRequest.Refusal) {
            let pushed = try PushedRequest(opening: uri, with: endpoints.keyring, at: endpoints.now())
            guard pushed.tenant == tenant.tenant.id, pushed.application == application?.id
            else { throw PushedRequest.Refusal.unreadable }
            return pushed
        } catch {
            switch error {
            case .unreadable, .expired: throw refused(.pushedRequestUnreadable)
            case .expiredOnPage: throw refused(.attemptExpired)
            }
        }
    }

    /// The tenant's APIs, if the request names one.
    private func apis(for form: Form, _ tenant: TenantConfiguration, _ context: WebContext) async throws -> [API] {
        try await endpoints.showingOutage(.outage, context) {
            try await signInNatively.tokens.apis(for: form, TokenTarget.resource, of: tenant.tenant)
        }
    }

    /// Starts a login attempt for a protocol whose token request does not repeat the redirect URI.
    /// - Parameter page: the sign-in page, if the tenant and the request choose it.
    package func beginWithoutURI(
        _ asked: AuthorizationRequest, behind page: SignInPage? = nil, for tenant: TenantConfiguration, _ request: Request
    ) throws -> Response {
        try begin(asked, delivering: .codeWithoutURI, behind: page, for: tenant, request, language: request.askedLanguage)
    }

    /// The same for a device. The login returns to a page of this server, which is the only one that can open it.
    package func beginForDevice(
        _ asked: AuthorizationRequest, for tenant: TenantConfiguration, _ request: Request
    ) throws -> Response {
        try begin(asked, delivering: .device, for: tenant, request, language: request.askedLanguage)
    }

    /// Starts a login attempt, or shows the page in front of it. An attempt writes only to the browser, so an unauthenticated caller cannot
    /// fill the database.
    /// - Parameter language: the language that the person asked for.
    func begin(
        _ asked: AuthorizationRequest, delivering delivery: LoginAttempt.Delivery, behind page: SignInPage? = nil,
        for tenant: TenantConfiguration, _ request: Request, earlierSession: ID<BrowserSession>? = nil, language: Language?
    ) throws -> Response {
        guard request.isTopLevelNavigation else {
            metrics.count(.authorize, ErrorPage.embedded.outcome)
            throw ErrorPage.embedded.leading(to: asked.application)
        }
        guard delivery == .code || delivery == .device || !asked.application.requiresDPoP else {
            throw RedirectedError(
                .unauthorizedClient, "This application requires DPoP (requires_dpop), which this interface does not support.",
                to: asked.returnAddress)
        }
        guard let connection = tenant.connection, tenant.appleKey != nil else {
            metrics.count(.authorize, "no_connection")
            throw RedirectedError(.serverError, "Sign in with Apple is not set up for this tenant yet.", to: asked.returnAddress)
        }
        guard !tenant.refusesLogins(at: endpoints.now()) else {
            metrics.count(.authorize, ErrorPage.budgetUsedUp.outcome)
            throw ErrorPage.budgetUsedUp.leading(to: asked.application)
        }
        func attempt(_ secret: String) -> LoginAttempt {
            LoginAttempt(
                asked, delivering: delivery, tenant: tenant.tenant.id, connection: connection.id, browserSecret: secret,
                earlierSession: earlierSession, atHost: tenant.tenant.addresses.current, at: endpoints.now())
        }
        if let page, attempt("").fits {
            metrics.count(.authorize, "page")
            return page.response()
        }
        // Otherwise Apple's answer could not be read, and the name in it would be lost.
        guard let started = start(of: tenant, connection, request, in: language, attempt) else {
            throw RedirectedError(
                .invalidRequest, "redirect_uri, nonce and scope are too long together. Shorten one of them.", to: asked.returnAddress)
        }
        metrics.count(.authorize, "ok")
        return .redirect(to: started.location, status: .found, cookies: started.cookies)
    }

    /// Seals a new login attempt into Apple's address and into cookies. Nil if it does not fit into them.
    func start(
        of tenant: TenantConfiguration, _ connection: Connection, _ request: Request, in language: Language?,
        _ attempt: (_ browserSecret: String) -> LoginAttempt
    ) -> (location: String, cookies: [String])? {
        let secret = AttemptCookie.secret(in: language)
        let attempt = attempt(secret)
        guard attempt.fits else { return nil }
        let parts = attempt.sealedParts(with: endpoints.keyring)
        let location = apple.authorizeURL(
            clientID: connection.servicesID, redirectURI: endpoints.returnURL(tenant.tenant, connection),
            state: attempt.sealed(with: endpoints.keyring), nonce: attempt.appleNonce)
        // The callback needs Apple's signing keys even if Apple is slow by then, because it can save the name only with them.
        apple.prepareToVerify(at: attempt.startedAt)
        let cookies =
            AttemptCookie(attempt.login, publicURL: endpoints.publicURL).set(secret, parts: parts)
            + AttemptCookie.removals(toMakeRoomFor: parts, secret: secret, in: request, publicURL: endpoints.publicURL)
        return (location, cookies)
    }
}
