package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Proof that the caller may act for an owner: a tenant, or the platform itself.
///
/// `TenantContext` and `PlatformContext` are the two of its kind; nothing else makes one. Actions that are the same for both
/// (connections, API keys, the audit trail) take either.
package protocol ActingContext: RecordedContext {
    var caller: Caller { get }
    /// The tenant's id, or the platform's.
    var owner: UUID { get }
}

extension ActingContext {
    /// - Throws: `Problem` unless the caller's key has this scope.
    package func require(_ scope: APIKey.Scope) throws {
        guard caller.scopes.contains(scope) else {
            throw Problem(.insufficientScope, "This API key lacks the scope `\(scope.rawValue)`.")
        }
    }

    /// The database as the owner may see it.
    package func database(_ pool: DatabasePool) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }

    /// Who acts, and from where, for the audit trail.
    package var origin: AuditEvent.Origin {
        let facts = record.current
        return .init(actor: caller.key.description, address: facts.address, requestID: facts.requestID)
    }

    /// An id in the path.
    /// - Throws: `Problem` 404 for what cannot be one.
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
                .operatorRequired, "This API key acts for one tenant. Use an operator's key, or the paths below `/v1/tenants/{tenant}`.")
        }
        (coreContext, record, self.caller) = (context.coreContext, context.record, caller)
    }
}

extension Problem {
    static var unauthenticated: Problem {
        Problem(.unauthenticated, "Send a valid API key: `Authorization: Bearer esk_…`. This one is missing, mistyped, expired or revoked.")
    }
}
