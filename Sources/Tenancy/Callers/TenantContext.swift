package import Hummingbird
package import Postgres
package import Web

/// Proof that the caller may act for the tenant in the path.
package struct TenantContext: ChildRequestContext, RecordedContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package let caller: Caller
    package let tenant: ID<Tenant>

    package init(context: CallContext) throws {
        guard let caller = context.caller else {
            throw Problem(
                .unauthenticated, "Send a valid API key: `Authorization: Bearer esk_…`. This one is missing, mistyped, expired or revoked.")
        }
        // 404, not 403: a stranger must not learn which tenants exist.
        guard let tenant = context.tenant, caller.mayAct(for: tenant.id) else { throw Problem.notFound("tenant") }
        context.record.note(tenant: tenant.slug)
        (coreContext, record, self.caller, self.tenant) = (context.coreContext, context.record, caller, tenant.id)
    }

    /// - Throws: `Problem` unless the caller's key has this scope.
    package func require(_ scope: APIKey.Scope) throws {
        guard caller.scopes.contains(scope) else {
            throw Problem(.insufficientScope, "This API key lacks the scope `\(scope.rawValue)`.")
        }
    }

    package func database(_ pool: DatabasePool) -> TenantDatabase {
        TenantDatabase(pool, tenant: tenant)
    }
}
