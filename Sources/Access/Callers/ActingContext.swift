package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Proof that the caller may act for an owner: a tenant, or the platform itself.
///
/// Only `TenantContext` and `PlatformContext` conform to it, and only they create such a proof. Actions that both have (connections, API
/// keys, the audit trail) accept either.
package protocol ActingContext: RecordedContext {
    var caller: Caller { get }
    /// The tenant's ID, or the platform's ID.
    var owner: UUID { get }
}

extension ActingContext {
    /// Checks the scope of the caller's key.
    /// - Throws: `Problem` unless the caller's key has this scope.
    package func require(_ scope: APIKey.Scope) throws {
        guard caller.scopes.contains(scope) else {
            throw Problem(.insufficientScope, "This API key lacks the scope `\(scope.rawValue)`.")
        }
    }

    /// The database, restricted to the rows that the owner may see.
    package func database(_ pool: DatabasePool) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }

    /// The actor and its origin for the audit trail.
    package var origin: AuditEvent.Origin {
        let facts = record.current
        return .init(actor: caller.key.description, address: facts.address, requestID: facts.requestID)
    }

    /// An ID in the path.
    /// - Throws: `Problem` 404 for a text that cannot be an ID.
    package func id<Entity: Identified>(_ name: String, of thing: String, as _: Entity.Type = Entity.self) throws -> ID<Entity> {
        guard let text = parameters.get(name), let id = ID<Entity>(text) else { throw Problem.notFound(thing) }
        return id
    }
}

/// Proof that the caller may act for the platform.
package struct PlatformContext: ChildRequestContext, ActingContext {
    package var coreContext: CoreRequestContextStorage
    package let record: RequestRecord
    package let caller: Caller
    package var owner: UUID { .platform }

    package init(context: CallContext) throws {
        guard let caller = context.caller else { throw Problem.unauthenticated }
        guard caller.isOperator
        else {
            throw Problem(
                .operatorRequired, "This API key acts for one tenant. Use an operator's key or the paths below `/v1/tenants/{tenant}`.")
        }
        (coreContext, record, self.caller) = (context.coreContext, context.record, caller)
    }

    /// The database with the rows of all owners.
    package func platformDatabase(_ pool: DatabasePool) -> PlatformDatabase {
        PlatformDatabase(pool, for: .operatorRequest)
    }
}

extension Problem {
    static var unauthenticated: Problem {
        Problem(.unauthenticated, "The API key is missing, mistyped, expired or revoked. Send a valid key: `Authorization: Bearer esk_…`.")
    }
}
