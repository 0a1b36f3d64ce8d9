import Access
import Encoding
import Hummingbird
import Tenancy
import Web

extension AuthKitRedirectURIRoutes {
    /// Removes a redirect URI from its application, as `updateApplication` does. An application keeps at least one.
    @Sendable
    func authKitDeleteRedirectURI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        let wanted = call.parameters.get("redirectURI") ?? ""
        for application in try await signingIn(of: call) {
            guard application.redirectURIs.contains(where: { WorkOSRedirectURI.id($0, of: application.id).isSame(as: wanted) })
            else { continue }
            _ = try await applications.change(application.id, call) { application in
                var changed = application
                changed.redirectURIs.removeAll { WorkOSRedirectURI.id($0, of: application.id).isSame(as: wanted) }
                return changed
            }
            return .noContent
        }
        throw Problem.notFound("redirect URI")
    }
}
