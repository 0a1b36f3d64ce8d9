package import Access
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// The signing keys of every tenant, cached in memory. A tenant's first key of an algorithm is made when it is first needed, together with
/// its next key. Every use of the tenant's keys needs an ES256 key. An application that is set to RS256 needs an RS256 key.
package final class SigningKeys: Sendable {
    private let cache: ConfigurationCache<ID<Tenant>, KeySet>
    /// Keys that are missing from the cache. Each is made once for all waiting callers.
    private let firsts: ConfigurationCache<Wanted, SigningKey>
    let verified: VerifiedTokens
    private let certificates = Certificates()

    private struct Wanted: Hashable, Sendable {
        let tenant: ID<Tenant>
        let algorithm: SigningKey.Algorithm
    }

    struct Missing: Error {}

    package init(pool: DatabasePool, keyring: Keyring, now: @escaping @Sendable () -> Date) {
        let verified = VerifiedTokens()
        let cache = ConfigurationCache<ID<Tenant>, KeySet>(recency: .seconds(Issuer.recency)) { tenant in
            // A repetition finds the key that was inserted first.
            let database = OwnerDatabase(pool, tenant: tenant).repeatable
            var rows = try await database.run(SigningKey.all(of: tenant))
            if try !rows.contains(where: { try $0.get("algorithm", as: SigningKey.Algorithm.self) == .ES256 }) {
                let first = try await NewSigningKey.insertFirst(.ES256, of: tenant, with: keyring, at: now())
                var batch = Statements(first)
                let all = batch.append(SigningKey.all(of: tenant))
                rows = try await database.run(batch)[all]
            }
            var keys: [SigningKey] = []
            for row in rows { keys.append(try SigningKey(row, of: tenant, with: keyring)) }
            return .init(KeySet(keys, verified: verified), owner: tenant.uuid)
        }
        (self.cache, self.verified) = (cache, verified)
        firsts = ConfigurationCache { wanted in
            let database = OwnerDatabase(pool, tenant: wanted.tenant).repeatable
            let current = SigningKey.current(wanted.algorithm, of: wanted.tenant)
            var rows = try await database.run(current)
            if rows.isEmpty {
                let first = try await NewSigningKey.insertFirst(wanted.algorithm, of: wanted.tenant, with: keyring, at: now())
                var batch = Statements(first)
                let inserted = batch.append(current)
                rows = try await database.run(batch)[inserted]
            }
            guard let row = rows.first else { throw Missing() }
            let key = try SigningKey(row, of: wanted.tenant, with: keyring)
            // This process must verify the new key's signatures at once. The database notifies other processes.
            cache.forget(wanted.tenant.uuid)
            return .init(key, owner: wanted.tenant.uuid)
        }
    }

    /// The key that signs with this algorithm. It is made if there is none yet.
    package func current(_ algorithm: SigningKey.Algorithm, of tenant: ID<Tenant>) async throws -> SigningKey {
        if let key = try await keys(of: tenant).current[algorithm] { return key }
        guard let key = try await firsts[Wanted(tenant: tenant, algorithm: algorithm)] else { throw Missing() }
        return key
    }

    /// Makes the key in advance, so that no login waits for it.
    package func prepare(_ algorithm: Tenancy.Application.SigningAlgorithm, of tenant: ID<Tenant>) async throws {
        _ = try await current(algorithm, of: tenant)
    }

    /// Signs claims that this process will be asked to verify, as `SigningKey.sign` does. Their signature is not verified again.
    package func sign(_ claims: [UInt8], type: String, with key: SigningKey) throws -> String {
        let token = try key.sign(claims, type: type)
        verified.insert(token)
        return token
    }

    /// The public halves for the JWKS. While the database does not answer, they may be up to `Issuer.recency` old.
    ///
    /// They contain every key that this process signs with: a key that signs comes from `keys`, which replaces the older set. A key that
    /// signs elsewhere was published for `SigningKey.notice` before, except for a replacement of compromised keys and the first key of an
    /// algorithm. The database reports these two at once.
    /// - Parameter waits: False if this request has already waited for the database without a result.
    package func published(of tenant: ID<Tenant>, waits: Bool) async throws -> (value: [SigningKey.JWK], isOld: Bool) {
        guard let found = try await cache.recent(tenant, waits: waits) else { throw Missing() }
        return (found.value.published.map(\.jwk), found.isOld)
    }

    /// The RS256 keys among them, each with its certificate.
    package func certified(of tenant: ID<Tenant>, waits: Bool) async throws -> (value: [CertifiedKey], isOld: Bool) {
        guard let found = try await cache.recent(tenant, waits: waits) else { throw Missing() }
        return (try found.value.published.compactMap(certificates.certified), found.isOld)
    }

    /// The published keys of a tenant, never old. All code that signs or verifies a token uses these.
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
