import Access
import Encoding
import Hummingbird
import Tenancy
import Web

extension AuthKitRedirectURIRoutes {
    /// Adds a redirect URI to the tenant's application, as `updateApplication` does. The request names no application, so the tenant must
    /// have exactly one that signs users in.
    @Sendable
    func authKitCreateRedirectURI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        var fields = try await JSONFields(request)
        let uri = fields.text("uri", 1...2000, isRequired: true) { RedirectURI.refusal(of: $0).map { "It \($0)." } }
        try fields.finish()
        let applications = try await signingIn(of: call)
        guard let application = applications.first, applications.count == 1, let uri else {
            throw Problem(
                .conflict,
                "The tenant has \(applications.count) applications that sign users in, and the request names none. "
                    + "Add the URI with `espalierctl applications update`.")
        }
        let changed = try await self.applications.change(application.id, call) { application in
            guard !application.redirectURIs.has(uri) else { return application }
            guard application.redirectURIs.count < Application.mostURIs
            else { throw Problem(.conflict, "An application has at most \(Application.mostURIs) redirect URIs. Delete one first.") }
            var changed = application
            changed.redirectURIs.append(uri)
            return changed
        }
        return try .json(WorkOSRedirectURI(uri, of: changed), status: .created)
    }
}
