import Access
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension RegistrationRoutes {
    /// Ends the registration of an application. Its registration access token becomes invalid, for example after a leak. The application
    /// stays, and only administrators manage it.
    @Sendable
    func endApplicationRegistration(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: endpoints.now())
        let id = try call.id("application", of: "application", as: Application.self)
        let now = endpoints.now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            guard let registration = try await db.run(ClientRegistration.lock(id, of: tenant)).first(ClientRegistration.init)
            else { throw Problem.notFound("registration") }
            try request.requireMatch(EntityTag(registration.updatedAt))
            _ = try await db.run([
                "DELETE FROM client_registration WHERE tenant_id = \(tenant) AND application_id = \(id)",
                try AuditEvent.insert(
                    "endApplicationRegistration", of: id.description, owner: owner, by: origin,
                    before: ApplicationRegistrationReply(registration), at: now),
            ])
        }
        return .noContent
    }
}
