package import Access
package import Hummingbird
package import Postgres
package import Tenancy
import Users
import Web

/// Organizations and memberships in WorkOS's interface. The only organization is the tenant that owns the API key, and each of its users is
/// a member.
package struct AuthKitOrganizationRoutes: Sendable {
    let pool: DatabasePool
    let directory: TenantDirectory

    package init(pool: DatabasePool, directory: TenantDirectory) {
        (self.pool, self.directory) = (pool, directory)
    }

    package var keyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "organizations", "authKitListOrganizations", use: authKitListOrganizations)
        routes.on(.get, "organizations/{organization}", "authKitGetOrganization", use: authKitGetOrganization)
        routes.on(
            .get, "organizations/external_id/{externalID}", "authKitGetOrganizationByExternalID", use: authKitGetOrganizationByExternalID)
        routes.on(.get, "user_management/organization_memberships", "authKitListMemberships", use: authKitListMemberships)
        routes.on(.get, "user_management/organization_memberships/{membership}", "authKitGetMembership", use: authKitGetMembership)
        return routes
    }

    /// The caller's own organization.
    func organization(of call: TenantContext) async throws -> Tenant {
        guard let found = try await directory.find(call.tenant) else { throw Problem.notFound("organization") }
        return found.tenant
    }
}
