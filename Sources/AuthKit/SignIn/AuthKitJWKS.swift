import Access
import Hummingbird
import Sessions
import Signing
import Tenancy
import Web

private struct Reply: Encodable {
    let keys: [CertifiedKey]
}

extension AuthKitSignInRoutes {
    /// Returns the RS256 keys of the application's tenant, each with a certificate. The list is empty until the first session starts.
    ///
    /// The times are as in `jwks`.
    @Sendable
    func authKitJWKS(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let id = context.parameters.get("clientID").flatMap(WorkOSID.application),
            let tenant = try await endpoints.find(application: id, context), tenant.tenant.status == .active
        else { throw Problem.notFound("client") }
        context.record.note(tenant: tenant.tenant.slug)
        let keys = try await signingKeys.certified(of: tenant.tenant.id, waits: true)
        return try .json(Reply(keys: keys.value), cacheControl: "public, max-age=\(keys.isOld ? Issuer.oldLifetime : Issuer.lifetime)")
    }
}
