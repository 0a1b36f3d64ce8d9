import Access
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

// The consent of a user to an application of a third party (OpenID Connect Core, section 3.1.2.4). A user who has signed in with Apple in
// this browser decides on a page, once. The application then gets the code without Apple.
extension SignInRoutes {
    /// A request that waited for the decision, with the sign-in of the browser that decides.
    struct WaitingRequest {
        let asked: AuthorizationRequest
        let tenant: TenantConfiguration
        let cookie: BrowserCookie
        /// When the page asked.
        let askedAt: Date
    }

    /// The page that asks. Nil if the cookie signs nobody in, or the request is too long.
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
        let issuer = endpoints.issuer(tenant.tenant)
        metrics.count(.authorize, "consent")
        let frame = PageFrame(request, tenant, context)
        return ConsentPage(
            application: asked.application.name, user: user.label, scopes: asked.scope.parts(at: " ").map(String.init), apis: apis,
            path: "/t/\(tenant.tenant.slug)/oauth2/consent", query: frame.query, ticket: sealed,
            state: asked.returnAddress.state.map { Array($0.utf8).base64URL },
            // Another Apple Account leads to Apple. On a server for development, this is the simulator.
            addresses: [asked.returnAddress.redirectURI, issuer]
        ).response(in: frame)
    }

    /// Opens the form of the page.
    /// - Throws: an `ErrorPage` unless the page of this browser sends it, within 15 minutes.
    func waitingRequest(_ request: Request, _ context: WebContext) async throws -> WaitingRequest {
        let form = try await pageForm(request, context, orThrow: .consentUnreadable)
        let tenant = form.tenant
        let ticket: ConsentTicket
        do throws(ConsentTicket.Refusal) {
            ticket = try ConsentTicket(
                opening: form["ticket"] ?? "", of: tenant.tenant.id, with: endpoints.keyring, at: endpoints.now())
        } catch {
            switch error {
            case .unreadable: throw ErrorPage.consentUnreadable
            case .expired: throw ErrorPage.attemptExpired
            }
        }
        guard let cookie = BrowserCookie(in: request, of: tenant.tenant, publicURL: endpoints.publicURL, with: endpoints.keyring),
            cookie.session == ticket.session, cookie.user == ticket.user, tenant.tenant.settings.singleSignOn
        else { throw ErrorPage.otherBrowser }
        guard let application = tenant.applications[ticket.application],
            let asked = ticket.request(from: application, state: form.state, issuer: endpoints.issuer(tenant.tenant))
        else { throw ErrorPage.consentUnreadable }
        return WaitingRequest(asked: asked, tenant: tenant, cookie: cookie, askedAt: ticket.askedAt)
    }
}

extension ErrorPage {
    static let consentUnreadable = ErrorPage(
        outcome: "consent_unreadable", status: .badRequest, title: .requestCannotBeRead, detail: .parameterIsMalformed, remedy: .startAgain)
}
