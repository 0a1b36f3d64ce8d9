package import Foundation
package import Postgres
package import Sealing

/// Who calls the REST API: the holder of a valid API key.
package struct Caller: Sendable {
    package let key: ID<APIKey>
    package let scopes: Set<APIKey.Scope>
    private let owner: UUID

    package init(_ key: APIKey) {
        (self.key, scopes, owner) = (key.id, key.scopes, key.owner)
    }

    /// An operator's key acts for every tenant, a tenant's for its own.
    package func mayAct(for tenant: ID<Tenant>) -> Bool {
        owner == .platform || owner == tenant.uuid
    }
}

/// Knows callers by their keys. A key's issue, change or revocation is in effect everywhere within a
/// second, since its row's notification empties this.
package final class Callers: Sendable {
    private let keyring: Keyring
    /// By the digests of the secret: the secret itself is not kept.
    private let keys: ConfigurationCache<[[UInt8]], APIKey>

    package init(pool: DatabasePool, keyring: Keyring) {
        self.keyring = keyring
        let database = PlatformDatabase(pool)
        keys = ConfigurationCache { digests in
            try await database.run(APIKey.find(digests: digests)).first(APIKey.init).map { .init($0, owner: $0.owner) }
        }
    }

    /// The caller that presents this secret, or nil: unknown, mistyped, expired and revoked read alike.
    package func find(secret: String, at now: Date) async throws -> Caller? {
        guard APIKey.isWellFormed(secret) else { return nil }
        let digests = keyring.digests(Array(secret.utf8), purpose: APIKey.digestPurpose)
        guard let key = try await keys[digests], key.isValid(at: now) else { return nil }
        return Caller(key)
    }

    package func forget(_ owner: UUID) {
        keys.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        keys.forgetAll(isFresh: isFresh)
    }
}
