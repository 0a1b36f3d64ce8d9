import Access
import Hummingbird
import Postgres
import Tenancy
import Web

extension RegistrationRoutes {
    /// Shows where an application comes from: the initial access token and the metadata that the application lacks.
    @Sendable
    func getApplicationRegistration(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let id = try call.id("application", of: "application", as: Application.self)
        guard
            let registration = try await call.database(pool).run(ClientRegistration.find(id, of: call.tenant))
                .first(ClientRegistration.init)
        else { throw Problem.notFound("registration") }
        return try .resource(ApplicationRegistrationReply(registration), updatedAt: registration.updatedAt)
    }
}
