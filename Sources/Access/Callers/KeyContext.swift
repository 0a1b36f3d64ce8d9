package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Proof that the caller acts for a tenant or as an operator.
///
/// It serves actions that name no tenant in the path. A tenant's caller receives only the tenant's own data.
package struct KeyContext: ChildRequestContext, ActingContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package let caller: Caller
    package var owner: UUID { caller.owner }
    /// The tenant of the caller. Nil for an operator.
    package var tenant: ID<Tenant>? { caller.tenant }

    package init(context: CallContext) throws {
        guard let caller = context.caller else { throw Problem.unauthenticated }
        guard caller.isOperator || caller.tenant != nil
        else {
            throw Problem.invalid(.init("Espalier-Tenant", "The header is required for a person with several tenants. Name one of them."))
        }
        // The keys of a deleted tenant are invalid.
        guard caller.isOperator || context.tenant?.status == .active || context.tenant?.status == .suspended
        else { throw Problem.unauthenticated }
        if !caller.isOperator, let tenant = context.tenant { context.record.note(tenant: tenant.slug) }
        (coreContext, record, self.caller) = (context.coreContext, context.record, caller)
    }

    /// The rows that the caller has access to.
    package enum Access: Sendable {
        case tenant(ID<Tenant>, OwnerDatabase)
        case platform(PlatformDatabase)
    }

    package func access(_ pool: DatabasePool) -> Access {
        if let tenant {
            .tenant(tenant, OwnerDatabase(pool, tenant: tenant))
        } else {
            .platform(PlatformDatabase(pool, for: .operatorRequest))
        }
    }
}
