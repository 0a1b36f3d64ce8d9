import Access
import Accounts
import BrowserSessions
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

// The consent of a user to an application of a third party (OpenID Connect Core, section 3.1.2.4). A user decides on a page, once. The page
// holds a request that the sign-in of the browser serves, or a finished sign-in with Apple.
extension SignInRoutes {
    /// A request that waited for the decision, with the sign-in of the browser that decides.
    struct WaitingRequest {
        let asked: AuthorizationRequest
        let tenant: TenantConfiguration
        let cookie: BrowserCookie
        /// When the page asked.
        let askedAt: Date
    }

    /// The two contents of the page.
    enum WaitingConsent {
        case request(WaitingRequest)
        /// After a sign-in with Apple.
        case signIn(HeldSignIn)
    }

    /// Whether a page must ask the user of a sign-in with Apple. It costs one statement, and only for an application of a third party.
    /// - Parameter always: whether the request asks every user.
    func needsConsent(_ code: AuthorizationCode, _ application: Application, always: Bool, _ tenant: Tenant) async throws -> Bool {
        guard application.isThirdParty else { return false }
        if always { return true }
        let found = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).repeatable.run(
            Consent.covering(code.user, application.id, tenant.id, scope: code.scope, apis: code.apis))
        return found.isEmpty
    }

    /// The page that asks for a request. Nil if the cookie signs nobody in, or the request is too long.
    func askForConsent(
        _ asked: AuthorizationRequest, _ cookie: BrowserCookie, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response? {
        let now = endpoints.now()
        let ticket = ConsentTicket(asked, cookie.session, of: cookie.user, tenant.tenant.id, at: now)
        guard let sealed = ticket.sealed(with: endpoints.keyring) else { return nil }
        let (user, apis) = try await endpoints.showingOutage(.outage, context) {
            (
                try await OwnerDatabase(signInNatively.pool, tenant: tenant.tenant.id).repeatable
                    .run(BrowserSession.user(of: cookie, tenant.tenant, at: now)).first(User.init),
                try await signInNatively.tokens.access(asked.scope, to: asked.apis, by: asked.application.id, tenant.tenant)
            )
        }
        guard let user else { return nil }
        metrics.count(.authorize, "consent")
        return consentPage(
            of: user, asked.application, scope: asked.scope, apis, ticket: sealed, login: nil, to: asked.returnAddress, for: tenant,
            request,
            context)
    }

    /// The page that asks after a sign-in with Apple.
    func consentPage(
        _ question: Question, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (code, application, owner) = (question.code, question.application, tenant.tenant)
        let user = try await OwnerDatabase(signInNatively.pool, tenant: owner.id).repeatable
            .run(User.find(code.user, of: owner.id)).first(User.init)
        let apis = try await signInNatively.tokens.access(code.scope, to: code.apis, by: application.id, owner)
        return consentPage(
            of: user, application, scope: code.scope, apis, ticket: question.ticket, login: question.login, to: question.address,
            for: tenant, request, context)
    }

    private func consentPage(
        of user: User?, _ application: Application, scope: String, _ apis: [(name: String, scopes: [String])], ticket: String,
        login: String?, to address: ReturnAddress, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) -> Response {
        let frame = PageFrame(request, tenant, context)
        return ConsentPage(
            of: user?.label,
            about: ThirdPartyFacts(
                application: application.name, scopes: scope.parts(at: " ").map(String.init), apis: apis,
                isOffline: application.givesRefreshToken(forScope: scope)),
            path: "\(tenant.tenant.path)/oauth2/consent", query: frame.query, ticket: ticket, login: login,
            state: address.state.map { Array($0.utf8).base64URL },
            // Another Apple Account leads to Apple. On a server for development, this is the simulator.
            addresses: [address.redirectURI, endpoints.issuer(tenant.tenant)]
        ).response(in: frame)
    }

    /// Opens the form of the page. The one after a sign-in with Apple has a field more.
    /// - Throws: an `ErrorPage` unless the page of this browser sends it, within 15 minutes.
    func waitingConsent(_ request: Request, _ context: WebContext) async throws -> WaitingConsent {
        let form = try await pageForm(request, context, orThrow: QuestionTicket.Page.consent.unreadable)
        return form["login"] == nil ? .request(try waitingRequest(in: form, request)) : .signIn(try heldSignIn(.consent, in: form, request))
    }

    private func waitingRequest(in form: PageForm, _ request: Request) throws -> WaitingRequest {
        try form.requireServedAddress()
        let (tenant, unreadable) = (form.tenant, QuestionTicket.Page.consent.unreadable)
        let ticket: ConsentTicket
        do throws(ConsentTicket.Refusal) {
            ticket = try ConsentTicket(
                opening: form["ticket"] ?? "", of: tenant.tenant.id, with: endpoints.keyring, at: endpoints.now())
        } catch {
            switch error {
            case .unreadable: throw unreadable
            case .expired: throw ErrorPage.attemptExpired
            }
        }
        guard let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring),
            cookie.session == ticket.session, cookie.user == ticket.user, tenant.tenant.settings.singleSignOn
        else { throw ErrorPage.otherBrowser }
        guard let application = tenant.applications[ticket.application],
            let asked = ticket.request(from: application, state: form.state, issuer: endpoints.issuer(tenant.tenant))
        else { throw unreadable }
        return WaitingRequest(asked: asked, tenant: tenant, cookie: cookie, askedAt: ticket.askedAt)
    }
}
