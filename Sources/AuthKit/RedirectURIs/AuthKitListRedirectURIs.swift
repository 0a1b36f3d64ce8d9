import Access
import Encoding
import Hummingbird
import Tenancy
import Web

extension AuthKitRedirectURIRoutes {
    /// Lists the redirect URIs of all applications, the newest application first.
    @Sendable
    func authKitListRedirectURIs(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let query = try Query(request.uri.query ?? "", WorkOSPage.parameters)
        var uris = try await signingIn(of: call).flatMap { application in
            application.redirectURIs.map { WorkOSRedirectURI($0, of: application) }
        }
        return try .json(try WorkOSPage.list(of: &uris, query, id: \.id))
    }
}
