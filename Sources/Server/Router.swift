import APIs
import Access
import Accounts
import AppleButton
import AuthKit
import Billing
import Branding
import Delivery
import Devices
import Domains
import Encoding
import HTTPTypes
import Hummingbird
import Ledger
import Mail
import Mushu
import People
import PeopleSignIn
import PeopleSSO
import Registration
import Sessions
import SignIn
import Signing
import Sinks
import Tenancy
import Terminal
import Users
import Web

/// All routes of the public port: the operations of `openapi.yaml`, and no others.
func makeRouter(_ routes: Routes, api: APIEntrance, limits: RequestLimits) -> ActionRouter {
    let router = ActionRouter()
    // Browsers, applications and Apple.
    router.addRoutes(routes.signIn.routes)
    router.addRoutes(routes.devices.routes)
    router.addRoutes(routes.authKit.routes)
    router.addRoutes(routes.tokens.routes)
    router.addRoutes(routes.logout.routes)
    router.addRoutes(routes.users.personRoutes)
    router.addRoutes(routes.notifications.appleRoutes)
    router.addRoutes(routes.discovery.routes)
    router.addRoutes(routes.branding.publicRoutes)
    router.addRoutes(routes.domains.publicRoutes)
    router.addRoutes(routes.pricing.publicRoutes)
    router.addRoutes(routes.wellKnown.routes)
    router.group().add(middleware: FailedRequestLimit(limits: limits, form: .problem)).addRoutes(routes.button.routes)
    router.addRoutes(routes.mushu.routes)
    router.addRoutes(routes.registration.routes)
    // People who manage a tenant or the platform.
    router.addRoutes(routes.personSignIn.routes)
    router.addRoutes(routes.providerSignIn.routes)
    router.addRoutes(routes.account.routes)
    router.addRoutes(routes.terminal.routes)
    router.group("t/{tenant}/mushu/{client_id}", context: CallContext.self).add(middleware: TranslateCallErrors())
        .add(middleware: APIEntrance(authenticate: api.authenticate.forKeys, idempotency: api.idempotency))
        .add(middleware: AnsweredRefusals()).add(middleware: TranslateCallErrors())
        .group(context: TenantContext.self).addRoutes(routes.mushu.providerRoutes)
    // The REST part of WorkOS's interface. The key names the tenant. The inner layer gives the form to the errors of actions, the outer one
    // to all others.
    router.group(context: CallContext.self)
        .add(middleware: WorkOSAnswers())
        .add(middleware: APIEntrance(authenticate: api.authenticate.forKeys, idempotency: api.idempotency.forOwnTenant))
        .add(middleware: AnsweredRefusals())
        .add(middleware: WorkOSAnswers())
        .group(context: TenantContext.self)
        .addRoutes(routes.authKitUsers.keyRoutes)
        .addRoutes(routes.authKitOrganizations.keyRoutes)
        .addRoutes(routes.authKitAPIKeys.keyRoutes)
        .addRoutes(routes.authKitRedirectURIs.keyRoutes)
        .addRoutes(routes.authKitEvents.keyRoutes)
    router.group(context: CallContext.self)
        .add(middleware: WorkOSAnswers())
        .add(middleware: api.authenticate.forKeys.forReads)
        .group(context: TenantContext.self)
        .addRoutes(routes.authKitAPIKeys.validationRoutes)
    // The REST API.
    let v1 = router.group("v1", context: CallContext.self).add(middleware: api)
    v1.group(context: PlatformContext.self)
        .addRoutes(routes.tenants.platformRoutes)
        .addRoutes(routes.connections.platformRoutes)
        .addRoutes(routes.apiKeys.platformRoutes)
        .addRoutes(routes.audit.platformRoutes)
        .addRoutes(routes.notifications.platformRoutes)
        .addRoutes(routes.statements.platformRoutes)
        .addRoutes(routes.pricing.platformRoutes)
        .addRoutes(routes.usage.platformRoutes)
        .addRoutes(routes.usageSink.platformRoutes)
        .addRoutes(routes.mail.platformRoutes)
        .addRoutes(routes.members.platformRoutes)
        .addRoutes(routes.invitations.platformRoutes)
        .addRoutes(routes.people.platformRoutes)
    v1.group(context: CallerContext.self)
        .addRoutes(routes.caller.routes)
    v1.group(context: KeyContext.self)
        .addRoutes(routes.pricing.keyRoutes)
        .addRoutes(routes.exports.keyRoutes)
    v1.group("tenants/{tenant}", context: TenantContext.self)
        .addRoutes(routes.tenants.tenantRoutes)
        .addRoutes(routes.branding.tenantRoutes)
        .addRoutes(routes.domains.tenantRoutes)
        .addRoutes(routes.applications.tenantRoutes)
        .addRoutes(routes.apis.tenantRoutes)
        .addRoutes(routes.initialAccessTokens.tenantRoutes)
        .addRoutes(routes.registration.tenantRoutes)
        .addRoutes(routes.connections.tenantRoutes)
        .addRoutes(routes.transfers.tenantRoutes)
        .addRoutes(routes.users.tenantRoutes)
        .addRoutes(routes.sessions.tenantRoutes)
        .addRoutes(routes.signingKeys.tenantRoutes)
        .addRoutes(routes.notifications.tenantRoutes)
        .addRoutes(routes.apiKeys.tenantRoutes)
        .addRoutes(routes.members.tenantRoutes)
        .addRoutes(routes.invitations.tenantRoutes)
        .addRoutes(routes.roles.tenantRoutes)
        .addRoutes(routes.sso.tenantRoutes)
        .addRoutes(routes.support.tenantRoutes)
        .addRoutes(routes.audit.tenantRoutes)
        .addRoutes(routes.webhooks.tenantRoutes)
        .addRoutes(routes.usage.tenantRoutes)
        .addRoutes(routes.statements.tenantRoutes)
        .addRoutes(routes.pricing.tenantRoutes)
        .addRoutes(routes.budgets.tenantRoutes)
        .addRoutes(routes.usageSink.tenantRoutes)
    return router
}

/// Authenticates each call of the REST API before its action, and makes a POST idempotent by its key.
///
/// One middleware instead of two, because each one adds several task switches to a read.
struct APIEntrance: RouterMiddleware {
    typealias Context = CallContext

    let authenticate: Authenticate
    let idempotency: Idempotency

    func handle(
        _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
    ) async throws -> Response {
        try await authenticate.handle(request, context: context) { request, context in
            guard request.method == .post else { return try await next(request, context) }
            return try await idempotency.handle(request, context: context, next: next)
        }
    }
}

/// Answers the requests of the public port.
///
/// At a tenant's own host, the paths are those below the tenant's address at the public URL. Nothing else is there: neither the REST API
/// nor another tenant.
struct PublicResponder: HTTPResponder {
    typealias Context = WebContext

    let routes: RouteTable
    let edge: Edge
    let crossOrigin: CrossOrigin
    /// For the look of the pages of errors.
    let directory: TenantDirectory
    let hosts: HostTable

    /// The routes that every host has: images without a tenant.
    static let everywhere = ["/button.svg", "/button.png", "/favicon.ico"]

    /// The path of the route of a request.
    static func path(_ path: String, at host: OwnHost?) -> String {
        guard let host, !everywhere.has(path) else { return path }
        return host.path(ofRouteFor: path)
    }

    func respond(to request: Request, context: WebContext) async throws -> Response {
        var context = context
        var refusal: (any Error)?
        do {
            switch try await hosts.find(request.head.authority) {
            case .publicURL: break
            case .tenant(let host): context.ownHost = host
            case .nobody: refusal = Problem(.notFound, "This host serves no tenant.")
            }
        } catch { refusal = error }
        // The route is known before anything rejects the request, so the log and the metrics have its action.
        let found = routes.find(request.method, Self.path(request.uri.path, at: context.ownHost))
        if let found {
            context.coreContext.parameters = found.parameters
            context.record.note(action: found.route.action)
        }
        return try await edge.handle(request, context: context) { [refusal] request, context in
            if let refusal { throw refusal }
            return try await crossOrigin.handle(request, context: context) { request, context in
                guard let found else {
                    if context.ownHost == nil, let feature = UnofferedFeature(path: request.uri.path) { throw feature }
                    throw HTTPError(.notFound)
                }
                do {
                    return try await found.route.responder.respond(to: request, context: context)
                } catch let page as ErrorPage {
                    throw await page.dressed(for: context, by: directory)
                }
            }
        }
    }
}
