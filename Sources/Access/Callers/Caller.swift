package import Foundation
import Postgres
package import Sealing
package import Web

/// A caller of the REST API: the holder of a valid API key, or a person with a valid session.
package struct Caller: Sendable {
    package let actor: Actor
    package let scopes: Set<APIKey.Scope>
    /// The tenant's ID, or the platform's ID. The person's own ID for a person who acts for neither.
    package let owner: UUID
    /// When the person last gave all factors. Nil for an API key, which has none.
    package let authenticatedAt: Date?

    package init(_ key: APIKey) {
        self.init(.key(key.id), scopes: key.scopes, owner: key.owner, authenticatedAt: nil)
    }

    init(_ actor: Actor, scopes: Set<APIKey.Scope>, owner: UUID, authenticatedAt: Date?) {
        (self.actor, self.scopes, self.owner, self.authenticatedAt) = (actor, scopes, owner, authenticatedAt)
    }

    /// The scopes of the roles that the caller can give and take away. A person who is an operator has them all, because an operator
    /// invites the first owner of a tenant.
    package var grantable: Set<APIKey.Scope> {
        isOperator && actor.person != nil ? Set(APIKey.Scope.allCases) : scopes
    }

    /// Whether the caller acts for the platform.
    package var isOperator: Bool { owner == .platform }

    /// The tenant of a caller that acts only for this tenant.
    package var tenant: ID<Tenant>? { isOperator || actor.person?.uuid == owner ? nil : ID(owner) }

    /// An operator acts for every tenant. Every other caller acts only for its own.
    package func mayAct(for tenant: ID<Tenant>) -> Bool {
        isOperator || owner == tenant.uuid
    }
}

/// Finds callers by their keys.
///
/// The issue, change or revocation of a key takes effect in every process within 1 s, because the notification of its row empties this
/// cache.
package final class Callers: Sendable {
    private let keyring: Keyring
    private let keys: SecretCache<APIKey>

    package init(database: PlatformDatabase, keyring: Keyring) {
        self.keyring = keyring
        keys = SecretCache { digests in
            try await database.repeatable.run(APIKey.find(digests: digests))
                .first { try APIKey($0, with: keyring) }.map { ($0, $0.owner) }
        }
    }

    /// The key with this secret, or nil. An unknown, mistyped, expired or revoked secret gives the same result.
    /// - Parameters:
    /// - limits: bounds the look-ups of secrets that were not valid here before. Nil means no limit.
    /// - Throws: `TooManyRequests` instead of a look-up, and the database's errors.
    package func find(
        secret: String, within limits: RequestLimits? = nil, _ record: RequestRecord = RequestRecord(), at now: Date
    ) async throws -> APIKey? {
        guard APIKey.isWellFormed(secret) else { return nil }
        let digests = keyring.digests(Array(secret.utf8), purpose: APIKey.digestPurpose)
        return try await keys.find(digests: digests, within: limits, record) { [keyring] key in
            key.isValid(at: now) && key.authenticates(digests, with: keyring, at: now)
        }
    }

    package func forget(_ owner: UUID?) {
        keys.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        keys.forgetAll(isFresh: isFresh)
    }
}
