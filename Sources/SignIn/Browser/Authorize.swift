import APIs
import Access
import Apple
import BrowserSessions
import Encoding
package import Hummingbird
import Logging
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
            tenant.tenant.status == .active
        else { throw ErrorPage.unknownApplication }
        context.record.note(tenant: tenant.tenant.slug)
        let asked = try await asked(form, tenant, context, defaults: ["response_type": "code"])
        return try await answer(asked, for: tenant, request, context)
    }

    private func authorize(_ form: Form, _ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        return try await answer(try await asked(form, tenant, context), for: tenant, request, context)
    }

    /// Signs the user in without Apple if the browser allows it, or starts a login attempt.
    private func answer(
        _ asked: AuthorizationRequest, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        guard tenant.tenant.settings.singleSignOn else { return try begin(asked, for: tenant, request) }
        let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring)
        if let response = try await signInSilently(asked, cookie, for: tenant, request, context) { return response }
        return try begin(asked, delivering: .code, for: tenant, request, earlierSession: cookie?.session)
    }

    /// The request in the browser's parameters, or the one that the application pushed before. The browser's other parameters are ignored
    /// then, because the user could have changed them (RFC 9101, section 6.3; RFC 9126, section 4).
    private func asked(
        _ form: Form, _ tenant: TenantConfiguration, _ context: WebContext, defaults: [String: String] = [:]
    ) async throws -> AuthorizationRequest {
        var (form, isPushed) = (form, false)
        if let uri = form["request_uri"], uri.begins(with: PushedRequest.prefix) {
            guard let pushed = PushedRequest(opening: uri, with: endpoints.keyring, at: endpoints.now()),
                pushed.tenant == tenant.tenant.id, form["client_id"]?.isSame(as: pushed.application.description) == true
            else { throw ErrorPage.pushedRequestUnreadable }
            (form, isPushed) = (try pushed.form, true)
        }
        return try AuthorizationRequest(
            form, from: tenant.applications, apis: try await apis(for: form, tenant, context), issuer: endpoints.issuer(tenant.tenant),
            defaults: defaults, isPushed: isPushed, hasSingleSignOn: tenant.tenant.settings.singleSignOn)
    }

    /// The tenant's APIs, if the request names one.
    private func apis(for form: Form, _ tenant: TenantConfiguration, _ context: WebContext) async throws -> [API] {
        try await endpoints.showingOutage(.outage, context) {
            try await signInNatively.tokens.apis(for: form, TokenTarget.resource, of: tenant.tenant)
        }
    }

    /// Starts a login attempt. It writes only to the browser, so an unauthenticated caller cannot fill the database.
    package func begin(_ asked: AuthorizationRequest, for tenant: TenantConfiguration, _ request: Request) throws -> Response {
        try begin(asked, delivering: .code, for: tenant, request)
    }

    /// The same for a protocol whose token request does not repeat the redirect URI.
    package func beginWithoutURI(
        _ asked: AuthorizationRequest, for tenant: TenantConfiguration, _ request: Request
    ) throws -> Response {
        try begin(asked, delivering: .codeWithoutURI, for: tenant, request)
    }

    /// The same for a device. The login returns to a page of this server, which is the only one that can open it.
    package func beginForDevice(
        _ asked: AuthorizationRequest, for tenant: TenantConfiguration, _ request: Request
    ) throws -> Response {
        try begin(asked, delivering: .device, for: tenant, request)
    }

    func begin(
        _ asked: AuthorizationRequest, delivering delivery: LoginAttempt.Delivery, for tenant: TenantConfiguration, _ request: Request,
        earlierSession: ID<BrowserSession>? = nil
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
        let secret = RandomText.make()
        let attempt = LoginAttempt(
            asked, delivering: delivery, tenant: tenant.tenant.id, connection: connection.id, browserSecret: secret,
            earlierSession: earlierSession, at: endpoints.now())
        // Otherwise Apple's answer could not be read, and the name in it would be lost.
        guard attempt.fits else {
            throw RedirectedError(
                .invalidRequest, "redirect_uri, nonce and scope are too long together. Shorten one of them.", to: asked.returnAddress)
        }
        let parts = attempt.sealedParts(with: endpoints.keyring)
        let location = apple.authorizeURL(
            clientID: connection.servicesID, redirectURI: endpoints.returnURL(tenant.tenant, connection),
            state: attempt.sealed(with: endpoints.keyring), nonce: attempt.appleNonce)
        // The callback needs Apple's signing keys even if Apple is slow by then, because it can save the name only with them.
        apple.prepareToVerify(at: attempt.startedAt)
        metrics.count(.authorize, "ok")
        return .redirect(
            to: location, status: .found,
            cookies: AttemptCookie(attempt.login, publicURL: endpoints.publicURL).set(secret, parts: parts)
                + AttemptCookie.removals(toMakeRoomFor: parts, secret: secret, in: request, publicURL: endpoints.publicURL))
    }
}
