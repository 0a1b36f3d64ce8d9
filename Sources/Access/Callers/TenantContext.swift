package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Proof that the caller may act for the tenant in the path.
package struct TenantContext: ChildRequestContext, ActingContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package let caller: Caller
    package let tenant: ID<Tenant>
    package let slug: String
    /// The own host of the tenant that the request names. Nil at the public URL.
    package let ownHost: OwnHost?
    package var owner: UUID { tenant.uuid }
    private let again: (@Sendable () async throws -> CallContext)?

    package init(context: CallContext) throws {
        guard let caller = context.caller else { throw Problem.unauthenticated }
        // 404, not 403: another tenant must not learn which tenants exist. Only operators see a deleted tenant.
        guard let tenant = context.tenant, caller.mayAct(for: tenant.id),
            caller.isOperator || tenant.status == .active || tenant.status == .suspended
        else { throw Problem.notFound("tenant") }
        // Data written now would never be removed.
        guard tenant.status != .purged || !context.isChange
        else { throw Problem(.conflict, "This tenant is purged. Only its name and its usage remain, and they are read-only.") }
        context.record.note(tenant: tenant.slug)
        (coreContext, record, self.caller, ownHost) = (context.coreContext, context.record, caller, context.ownHost)
        (self.tenant, slug, again) = (tenant.id, tenant.slug, context.again)
    }

    /// The same proof as of now, for a response that can last longer than the permission: the key or the session, the membership or the
    /// support access, and the tenant can end in between. It comes from the caches, so it is cheap.
    /// - Throws: `Problem` if the caller may no longer act for the tenant, `TooManyRequests`, and the errors of the database.
    package func renewed() async throws -> TenantContext {
        guard let again else { throw Problem.unauthenticated }
        return try TenantContext(context: try await again())
    }

    /// Checks that the caller acts for the platform.
    /// - Throws: `Problem` for a tenant's own key, because only the platform decides on this.
    package func requireOperator(_ what: String) throws {
        guard caller.isOperator else { throw Problem(.operatorRequired, "Only the platform's operators can \(what).") }
    }

    /// The database with the rows of all owners, for an operator's action on this tenant that also concerns the platform's own rows.
    /// - Throws: `Problem` for a tenant's own key.
    package func platformDatabase(_ pool: DatabasePool, to what: String) throws -> PlatformDatabase {
        try requireOperator(what)
        return PlatformDatabase(pool, for: .operatorRequest)
    }
}
