import Access
import Hummingbird
import Sessions
import Tenancy
import Web

extension RegistrationRoutes {
    /// Shows a client its registration (RFC 7592, section 2.1). The response has no secret, because only a digest of it is stored.
    @Sendable
    func getRegisteredClient(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            guard let tenant = try await endpoints.tenant(context)?.tenant else { throw Problem.notFound("tenant") }
            let access = try await registrationAccess(request, tenant, context, at: endpoints.now())
            return try .json(
                RegisteredClientReply(
                    access.application, access.registration.details, token: access.token, issuer: endpoints.issuer(tenant)))
        }
    }
}
