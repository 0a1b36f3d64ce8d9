package import Foundation
import JWTKit
package import Postgres
package import Sealing
import Tenancy

/// The signing keys of every tenant, in memory while they are used. A tenant's first key is made when it
/// is first needed.
package final class SigningKeys: Sendable {
    private let cache: ConfigurationCache<ID<Tenant>, KeySet>

    struct KeySet: Sendable {
        let current: SigningKey
        let published: [SigningKey]
        let verification: JWTKeyCollection
    }

    struct Missing: Error {}

    package init(pool: DatabasePool, keyring: Keyring, now: @escaping @Sendable () -> Date) {
        cache = ConfigurationCache { tenant in
            let database = TenantDatabase(pool, tenant: tenant)
            var rows = try await database.run(SigningKey.all(of: tenant))
            if rows.isEmpty {
                rows = try await database.run([
                    SigningKey.insertFirst(of: tenant, with: keyring, at: now()), SigningKey.all(of: tenant),
                ])[1]
            }
            var keys: [SigningKey] = []
            let verification = JWTKeyCollection()
            for row in rows {
                let key = try await SigningKey(row, of: tenant, with: keyring)
                await verification.add(ecdsa: try key.publicKey, kid: JWKIdentifier(string: key.keyID))
                keys.append(key)
            }
            guard let current = keys.first(where: { $0.state == .current }) else { throw Missing() }
            return .init(KeySet(current: current, published: keys, verification: verification), owner: tenant.uuid)
        }
    }

    func current(of tenant: ID<Tenant>) async throws -> SigningKey {
        try await keys(of: tenant).current
    }

    func published(of tenant: ID<Tenant>) async throws -> [SigningKey] {
        try await keys(of: tenant).published
    }

    private func keys(of tenant: ID<Tenant>) async throws -> KeySet {
        guard let keys = try await cache[tenant] else { throw Missing() }
        return keys
    }

    /// The claims of an access token of this tenant that is good now, or nil.
    func verify(_ token: String, of tenant: Tenant, issuer: String, at now: Date) async throws -> AccessToken? {
        let keys = try await keys(of: tenant.id)
        guard AccessToken.hasItsType(token),
            let claims = try? await keys.verification.verify(token, as: AccessToken.self),
            claims.iss == issuer, claims.tid == tenant.id, now < Date(timeIntervalSince1970: TimeInterval(claims.exp))
        else { return nil }
        return claims
    }

    package func forget(_ owner: UUID) {
        cache.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        cache.forgetAll(isFresh: isFresh)
    }
}
