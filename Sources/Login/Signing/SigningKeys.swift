package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// The signing keys of every tenant, in memory while they are used. A tenant's first key of a kind is made when it
/// is first needed: ES256 for whatever concerns its keys, RS256 when an application is given it.
package final class SigningKeys: Sendable {
    private let cache: ConfigurationCache<ID<Tenant>, KeySet>
    /// Keys that were missing from the cache, and are made once for all who want them.
    private let firsts: ConfigurationCache<Wanted, SigningKey>

    struct KeySet: Sendable {
        let current: [SigningKey.Algorithm: SigningKey]
        let published: [SigningKey]
        let byKeyID: [String: SigningKey]
    }

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
                rows = try await database.run([
                    try await SigningKey.insertFirst(.ES256, of: tenant, with: keyring, at: now()), SigningKey.all(of: tenant),
                ])[1]
            }
            var keys: [SigningKey] = []
            for row in rows { keys.append(try await SigningKey(row, of: tenant, with: keyring)) }
            let current = keys.filter { $0.state == .current }.map { ($0.algorithm, $0) }
            let set = KeySet(
                current: Dictionary(current) { newest, _ in newest }, published: keys,
                byKeyID: Dictionary(uniqueKeysWithValues: keys.map { ($0.keyID, $0) }))
            return .init(set, owner: tenant.uuid)
        }
        self.cache = cache
        firsts = ConfigurationCache { wanted in
            let database = OwnerDatabase(pool, tenant: wanted.tenant)
            let current = SigningKey.current(wanted.algorithm, of: wanted.tenant)
            var rows = try await database.run(current)
            if rows.isEmpty {
                let insert = try await SigningKey.insertFirst(wanted.algorithm, of: wanted.tenant, with: keyring, at: now())
                rows = try await database.run([insert, current])[1]
            }
            guard let row = rows.first else { throw Missing() }
            let key = try await SigningKey(row, of: wanted.tenant, with: keyring)
            // What it signs must verify here at once; other processes hear of it from the database.
            cache.forget(wanted.tenant.uuid)
            return .init(key, owner: wanted.tenant.uuid)
        }
    }

    /// The key that signs by this algorithm, made if there is none yet.
    func current(_ algorithm: SigningKey.Algorithm, of tenant: ID<Tenant>) async throws -> SigningKey {
        if let key = try await keys(of: tenant).current[algorithm] { return key }
        guard let key = try await firsts[Wanted(tenant: tenant, algorithm: algorithm)] else { throw Missing() }
        return key
    }

    /// Makes the key now, for a login not to wait for it.
    package func prepare(_ algorithm: Tenancy.Application.SigningAlgorithm, of tenant: ID<Tenant>) async throws {
        _ = try await current(algorithm, of: tenant)
    }

    func published(of tenant: ID<Tenant>) async throws -> [SigningKey] {
        try await keys(of: tenant).published
    }

    private func keys(of tenant: ID<Tenant>) async throws -> KeySet {
        guard let keys = try await cache[tenant] else { throw Missing() }
        return keys
    }

    /// The claims of an access token of this tenant that is good now, or nil.
    ///
    /// Which algorithm verifies is the key's to say, never the token's: a token whose header names another than that of the key it
    /// names is refused (RFC 8725, section 3.1).
    func verify(_ token: String, of tenant: Tenant, issuer: String, at now: Date) async throws -> AccessToken? {
        let keys = try await keys(of: tenant.id)
        let parts = token.utf8.count <= 4096 ? token.split(separator: ".", omittingEmptySubsequences: false) : []
        guard parts.count == 3, let header = Self.decode(Header.self, parts[0]),
            // No id_token of ours says so (RFC 9068, section 4).
            header.typ == AccessToken.type, header.crit == nil,
            let key = keys.byKeyID[header.kid], header.alg == key.algorithm.rawValue,
            let signature = [UInt8](base64URL: String(parts[2])), key.verifies(signature, of: "\(parts[0]).\(parts[1])"),
            let claims = Self.decode(AccessToken.self, parts[1]),
            claims.iss == issuer, claims.tid == tenant.id, now < Date(timeIntervalSince1970: TimeInterval(claims.exp))
        else { return nil }
        return claims
    }

    private struct Header: Decodable {
        let alg, kid, typ: String
        /// Extensions that must be understood (RFC 7515, section 4.1.11): there are none.
        let crit: [String]?
    }

    private static func decode<Part: Decodable>(_: Part.Type, _ text: Substring) -> Part? {
        [UInt8](base64URL: String(text)).flatMap { try? JSONDecoder().decode(Part.self, from: Data($0)) }
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
