package import Access
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// The signing keys of every tenant, in memory while they are used. A tenant's first key of a kind is made when it
/// is first needed, together with the one that follows it: ES256 for whatever concerns its keys, RS256 when an application is given it.
package final class SigningKeys: Sendable {
    private let cache: ConfigurationCache<ID<Tenant>, KeySet>
    /// Keys that were missing from the cache, and are made once for all who want them.
    private let firsts: ConfigurationCache<Wanted, SigningKey>

    private struct Wanted: Hashable, Sendable {
        let tenant: ID<Tenant>
        let algorithm: SigningKey.Algorithm
    }

    struct Missing: Error {}

    package init(pool: DatabasePool, keyring: Keyring, now: @escaping @Sendable () -> Date) {
        let cache = ConfigurationCache<ID<Tenant>, KeySet> { tenant in
            let database = OwnerDatabase(pool, tenant: tenant)
            var rows = try await database.run(SigningKey.all(of: tenant))
            if try !rows.contains(where: { try $0.get("algorithm", as: SigningKey.Algorithm.self) == .ES256 }) {
                let first = try await NewSigningKey.insertFirst(.ES256, of: tenant, with: keyring, at: now())
                rows = try await database.run(first + [SigningKey.all(of: tenant)])[first.count]
            }
            var keys: [SigningKey] = []
            for row in rows { keys.append(try await SigningKey(row, of: tenant, with: keyring)) }
            return .init(KeySet(keys), owner: tenant.uuid)
        }
        self.cache = cache
        firsts = ConfigurationCache { wanted in
            let database = OwnerDatabase(pool, tenant: wanted.tenant)
            let current = SigningKey.current(wanted.algorithm, of: wanted.tenant)
            var rows = try await database.run(current)
            if rows.isEmpty {
                let first = try await NewSigningKey.insertFirst(wanted.algorithm, of: wanted.tenant, with: keyring, at: now())
                rows = try await database.run(first + [current])[first.count]
            }
            guard let row = rows.first else { throw Missing() }
            let key = try await SigningKey(row, of: wanted.tenant, with: keyring)
            // What it signs must verify here at once; other processes hear of it from the database.
            cache.forget(wanted.tenant.uuid)
            return .init(key, owner: wanted.tenant.uuid)
        }
    }

    /// The key that signs by this algorithm, made if there is none yet.
    package func current(_ algorithm: SigningKey.Algorithm, of tenant: ID<Tenant>) async throws -> SigningKey {
        if let key = try await keys(of: tenant).current[algorithm] { return key }
        guard let key = try await firsts[Wanted(tenant: tenant, algorithm: algorithm)] else { throw Missing() }
        return key
    }

    /// Makes the key now, for a login not to wait for it.
    package func prepare(_ algorithm: Tenancy.Application.SigningAlgorithm, of tenant: ID<Tenant>) async throws {
        _ = try await current(algorithm, of: tenant)
    }

    package func published(of tenant: ID<Tenant>) async throws -> [SigningKey] {
        try await keys(of: tenant).published
    }

    /// The published keys of a tenant.
    package func keys(of tenant: ID<Tenant>) async throws -> KeySet {
        guard let keys = try await cache[tenant] else { throw Missing() }
        return keys
    }

    package func forget(_ owner: UUID) {
        cache.forget(owner)
        firsts.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        cache.forgetAll(isFresh: isFresh)
        firsts.forgetAll(isFresh: isFresh)
    }
}
