package import Access
package import Hummingbird
package import Tenancy
import Web

/// The redirect URIs of a tenant's applications in WorkOS's interface.
package struct AuthKitRedirectURIRoutes: Sendable {
    let applications: ApplicationRoutes
    let directory: TenantDirectory

    package init(applications: ApplicationRoutes, directory: TenantDirectory) {
        (self.applications, self.directory) = (applications, directory)
    }

    package var keyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "user_management/redirect_uris", "authKitListRedirectURIs", use: authKitListRedirectURIs)
        routes.on(.post, "user_management/redirect_uris", "authKitCreateRedirectURI", use: authKitCreateRedirectURI)
        routes.on(.delete, "user_management/redirect_uris/{redirectURI}", "authKitDeleteRedirectURI", use: authKitDeleteRedirectURI)
        return routes
    }

    /// The tenant's applications that sign users in, newest first.
    func signingIn(of call: TenantContext) async throws -> [Application] {
        let applications = try await directory.find(call.tenant)?.applications.values.filter { $0.kind != .machine } ?? []
        return applications.sorted { $0.id.description > $1.id.description }
    }
}
