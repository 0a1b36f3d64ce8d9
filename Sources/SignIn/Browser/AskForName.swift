import Access
import Encoding
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

// The name of a user, for an application that requires one. Apple shares it only once, and not with each application. So a page asks for it
// before the application gets its code.
extension SignInRoutes {
    /// Whether the application requires a name, and the user has none. It costs one statement, and only for such an application.
    func needsName(_ user: ID<User>, _ application: Application, _ tenant: Tenant) async throws -> Bool {
        guard application.requiresName else { return false }
        let found = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).repeatable.run(User.nameless(user, of: tenant.id))
        return !found.isEmpty
    }

    /// The page that asks.
    /// - Parameter refused: the name that was refused.
    func namePage(
        _ question: Question, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext,
        refused: NamePage.Entry? = nil
    ) -> Response {
        let (frame, address) = (PageFrame(request, tenant, context), question.address)
        return NamePage(
            application: question.application.name, path: "\(tenant.tenant.path)/oauth2/name", query: frame.query,
            ticket: question.ticket, login: question.login, state: address.state.map { Array($0.utf8).base64URL },
            // Another sign-in leads to Apple. On a server for development, this is the simulator.
            addresses: [address.redirectURI, endpoints.issuer(tenant.tenant)], explainsReset: tenant.connection?.ownership == .own,
            refused: refused
        ).response(in: frame)
    }
}
