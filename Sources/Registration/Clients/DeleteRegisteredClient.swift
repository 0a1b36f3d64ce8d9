import Access
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Web

extension RegistrationRoutes {
    /// Deletes a client and its application, as `deleteApplication` does (RFC 7592, section 2.3). Its tokens become invalid.
    @Sendable
    func deleteRegisteredClient(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            guard let tenant = try await endpoints.tenant(context)?.tenant else { throw Problem.notFound("tenant") }
            let now = endpoints.now()
            let access = try await registrationAccess(request, tenant, context, at: now)
            try await refusingProblems {
                try await applications.delete(
                    access.application.id, as: "deleteRegisteredClient", of: tenant.id, by: access.origin, at: now,
                    check: { db in
                        // An administrator may have ended the registration since the check of the token.
                        guard try await !db.run(ClientRegistration.lock(access.application.id, of: tenant.id)).isEmpty
                        else { throw OAuthError.badRegistrationAccessToken }
                    })
            }
            endpoints.directory.forget(tenant.id.uuid)
            return .noContent
        }
    }
}
