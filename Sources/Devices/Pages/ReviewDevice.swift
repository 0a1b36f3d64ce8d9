import Access
import Encoding
import Hummingbird
import Pages
import Postgres
import Sessions
import SignIn
import Tenancy
import Users
import Web

extension DeviceRoutes {
    /// Shows the user and the device after the sign-in with Apple, for the final decision. If the sign-in failed, the user may try again.
    @Sendable
    func reviewDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, query, now) = (try await tenant(context), try endpoints.browserQuery(request), endpoints.now())
        let seen = try await seenDevice(query["state"], of: tenant, request, context)
        let page = DevicePage(request, tenant, context)
        let facts = DeviceFacts(
            seen.device, seen.ticket.userCode, seen.application, of: tenant.tenant, in: page.frame.language, context, at: now)
        guard let sealed = query["login"] else {
            // The page has no text of the request, because anyone can write a link to it.
            let wasCancelled = query["error"]?.isSame(as: RedirectedError.Code.accessDenied.rawValue) == true
            grant.metrics.count(.approval, wasCancelled ? "cancelled" : "sign_in_failed")
            return page.confirmation(facts, ticket: seen.sealed, problem: wasCancelled ? .youDidNotSignIn : .signInWithAppleFailed)
        }
        let login = try login(sealed, seen, tenant.tenant).login
        let user = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).repeatable
                .run(User.find(login.user, of: tenant.tenant.id)).first(User.init)
        }
        guard let user else { throw ErrorPage.deviceGone }
        return page.approval(
            facts, try await thirdParty(seen.application, login, tenant.tenant, context),
            user: DeviceFacts.name(of: user, in: page.frame.language), ticket: seen.sealed, login: sealed)
    }

    /// The facts that the user of a login allows with the approval. Nil for the tenant's own applications.
    private func thirdParty(
        _ application: Application, _ login: CompletedLogin, _ tenant: Tenant, _ context: WebContext
    ) async throws -> ThirdPartyFacts? {
        guard application.isThirdParty else { return nil }
        let apis = try await endpoints.showingOutage(.outage, context) {
            try await grant.tokens.access(login.scope, to: login.apis, by: application.id, tenant)
        }
        return ThirdPartyFacts(
            application: application.name, scopes: login.scope.parts(at: " ").map(String.init), apis: apis,
            isOffline: application.givesRefreshToken(forScope: login.scope))
    }

    /// The login that this browser brings back from Apple.
    func login(_ sealed: String, _ seen: SeenDevice, _ tenant: Tenant) throws(ErrorPage) -> SealedLogin {
        let login = SealedLogin(
            opening: sealed, for: seen.sealed, of: seen.application.id, tenant.id, at: endpoints.approvalPage(of: tenant),
            with: endpoints.keyring)
        guard let login else { throw .deviceUnreadable }
        return login
    }
}
