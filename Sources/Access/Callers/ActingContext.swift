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
    /// Checks that the caller has a scope: its key, or the role of the person.
    /// - Throws: `Problem` 403.
    package func require(_ scope: APIKey.Scope) throws {
        guard caller.scopes.contains(scope) else {
            if case .person(_, _, let support) = caller.actor, caller.isOperator {
                // The start of an access would not help, and the owners would get a mail for nothing.
                guard SupportAccess.scopes.contains(scope) else { throw Problem.neverInSupport(scope) }
                if support == nil { throw Problem.supportRequired }
            }
            let holder = caller.actor.person == nil ? "This API key" : "Your role"
            throw Problem(.insufficientScope, "\(holder) lacks the scope `\(scope.rawValue)`.")
        }
    }

    /// Checks that a person has given all factors a short time ago, before a change to keys, members, deletion or money. So a stolen session
    /// is not enough for it. An API key has no sign-in and passes.
    /// - Throws: `Problem` 403 with the challenge of RFC 9470.
    package func requireRecentSignIn(at now: Date) throws {
        guard let authenticatedAt = caller.authenticatedAt, now >= authenticatedAt.addingTimeInterval(RecentSignIn.seconds) else { return }
        throw Problem.recentSignInRequired
    }

    /// Whether the caller is an operator who is a person, at a tenant where this person is not a member.
    package var isOperatorAtTenant: Bool { owner != .platform && caller.isOperator && caller.actor.person != nil }

    /// The database, restricted to the rows that the owner may see.
    package func database(_ pool: DatabasePool) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }

    /// The actor and its origin for the audit trail.
    package var origin: AuditEvent.Origin {
        let facts = record.current
        switch caller.actor {
        case .key(let key): return .init(actor: key.description, address: facts.address, requestID: facts.requestID)
        case .person(let person, let session, let support):
            return .init(
                actor: person.description, address: facts.address, requestID: facts.requestID, session: session, support: support)
        }
    }

    /// An ID in the path.
    /// - Throws: `Problem` 404 for a text that cannot be an ID.
    package func id<Entity: Identified>(_ name: String, of thing: String, as _: Entity.Type = Entity.self) throws -> ID<Entity> {
        guard let text = parameters.get(name), let id = ID<Entity>(text) else { throw Problem.notFound(thing) }
        return id
    }
}

/// The age of a sign-in that still permits changes to keys, members, deletion and money.
package enum RecentSignIn {
    package static let seconds: TimeInterval = 600
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
                .operatorRequired, "The caller acts for one tenant. Use an operator's API key or the paths below `/v1/tenants/{tenant}`.")
        }
        (coreContext, record, self.caller) = (context.coreContext, context.record, caller)
    }

    /// The database with the rows of all owners.
    package func platformDatabase(_ pool: DatabasePool) -> PlatformDatabase {
        PlatformDatabase(pool, for: .operatorRequest)
    }
}

extension Problem {
    package static var unauthenticated: Problem {
        Problem(
            .unauthenticated,
            """
            The API key is missing, mistyped, expired or revoked, or the session of the person has ended. Send a valid key, or sign in \
            again: `Authorization: Bearer esk_…`.
            """)
    }

    /// The refusal of an operator who acts on the data of a tenant without its consent.
    package static var supportRequired: Problem {
        Problem(
            .supportRequired,
            "An operator acts on the data of a tenant only during a support access, which the tenant sees. Start one with a reason."
        )
    }

    /// The refusal of an operator who needs a scope that no support access has.
    fileprivate static func neverInSupport(_ scope: APIKey.Scope) -> Problem {
        Problem(
            .insufficientScope,
            "A support access never has the scope `\(scope.rawValue)`. Only the tenant or an operator's API key can do this.")
    }

    static var recentSignInRequired: Problem {
        Problem(.recentSignInRequired, "This change needs a sign-in from the last 10 minutes. Sign in again and repeat the request.")
    }
}
