import Access
import Foundation
import Postgres
import Sealing
import Tenancy

/// The turn of a tenant's signing keys.
///
///     next ──promote──▶ current ──promote──▶ retired ──▶ gone      a new next is made with every turn
///       └──────────────────┴──────replace───────┴──────▶ gone      a new current and a new next are made
///
/// There is a current key at every moment, and whatever signs has been published for long enough that everybody who keeps the JWKS
/// has it (`SigningKey.notice`); only a replacement cannot wait for that. One turn at a time: the tenant's row is locked first, and
/// keys are made under that lock, so that nobody makes RSA keys in vain, or makes us make them.
struct SigningKeyRotation: Sendable {
    private let tenant: ID<Tenant>
    private let database: OwnerDatabase
    private let keyring: Keyring

    init(of tenant: ID<Tenant>, pool: DatabasePool, keyring: Keyring) {
        (self.tenant, self.keyring) = (tenant, keyring)
        database = OwnerDatabase(pool, tenant: tenant)
    }

    enum Refusal: Error, Equatable {
        /// They are being turned, or the tenant is being changed, at this moment.
        case busy
        /// There is no such key yet.
        case none
        /// The keys of this algorithm have to stay as they are until then.
        case tooSoon(SigningKey.Algorithm, until: Date)
    }

    /// How many retired keys of an algorithm may be published at once: a JWKS is read by many, and stays small.
    private static let retiredAtMost = 10
    /// How old keys must be to be replaced, in seconds: making them takes long, and new ones are no help against what they were
    /// made for.
    private static let rest: TimeInterval = 60

    /// Lets the next key of an algorithm sign, or those of all: what was published long ago, so nobody notices.
    ///
    /// - Parameter latest: keys that began to sign later stay.
    /// - Returns: the keys of the algorithm, or all, as they are now.
    @discardableResult
    func promote(
        _ algorithm: SigningKey.Algorithm?, activatedUntil latest: Date = .distantFuture, by origin: AuditEvent.Origin, at now: Date
    ) async throws -> [SigningKeyReply] {
        try await turn(algorithm, by: origin, at: now) { algorithm, keys in
            guard let current = keys.first(where: { $0.state == .current }), current.activated_at.map({ $0 <= latest }) ?? true
            else { return [] }
            guard let next = keys.first(where: { $0.state == .next })
            else { throw Refusal.tooSoon(algorithm, until: now + SigningKey.notice) }
            let retired = keys.filter { $0.state == .retired }
            let room = retired.count < Self.retiredAtMost ? nil : retired.compactMap(\.published_until).min()
            let ready = max(next.created_at + SigningKey.notice, room ?? .distantPast)
            guard now >= ready else { throw Refusal.tooSoon(algorithm, until: ready) }
            // One is current and one is next at any time: the old one makes room first.
            return [
                retire(current.id, at: now),
                """
                UPDATE signing_key SET state = \(SigningKey.State.current), activated_at = \(now)
                WHERE tenant_id = \(tenant) AND id = \(next.id)
                """,
                try await NewSigningKey(algorithm, for: tenant, with: keyring, at: now).insert(as: .next),
            ]
        }
    }

    /// Drops all keys of an algorithm, or of all, private halves and public ones: somebody else may have them. What they signed verifies
    /// nowhere any more, and nobody has seen the keys that sign from now on.
    ///
    /// - Returns: the keys of the algorithm, or all, as they are now.
    func replace(_ algorithm: SigningKey.Algorithm?, by origin: AuditEvent.Origin, at now: Date) async throws -> [SigningKeyReply] {
        try await turn(algorithm, by: origin, at: now) { algorithm, keys in
            let rested = keys.filter { $0.state == .current }.map { $0.created_at + Self.rest }.max() ?? now
            guard now >= rested else { throw Refusal.tooSoon(algorithm, until: rested) }
            let (current, next) = try await NewSigningKey.pair(algorithm, for: tenant, with: keyring, at: now)
            return [
                "DELETE FROM signing_key WHERE tenant_id = \(tenant) AND algorithm = \(algorithm)", current.insert(as: .current),
                next.insert(as: .next),
            ]
        }
    }

    /// The database's clock counts where ours is behind: published for too long does no harm.
    private func retire(_ id: ID<SigningKey>, at now: Date) -> SQL {
        """
        UPDATE signing_key SET state = \(SigningKey.State.retired), retired_at = \(now),
            published_until = GREATEST(\(now), clock_timestamp()) + make_interval(secs => \(SigningKey.afterlife))
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// What both have in common: lock, look, decide for each algorithm, write, and write down who did it.
    private func turn(
        _ wanted: SigningKey.Algorithm?, by origin: AuditEvent.Origin, at now: Date,
        _ changes: @Sendable (SigningKey.Algorithm, [SigningKeyReply]) async throws -> [SQL]
    ) async throws -> [SigningKeyReply] {
        try await database.transaction { db in
            // Not as strong a lock as a foreign key would wait for: logins that make a first key go on.
            let locked = try await db.run(
                "SELECT FROM tenant WHERE id = \(tenant) AND status <> 'purged' FOR NO KEY UPDATE SKIP LOCKED")
            guard !locked.isEmpty else { throw Refusal.busy }
            let before = try await keys(wanted, in: db)
            guard !before.isEmpty else { throw Refusal.none }
            var statements: [SQL] = []
            for algorithm in SigningKey.Algorithm.allCases {
                let keys = before.filter { $0.algorithm == algorithm }
                if !keys.isEmpty { statements += try await changes(algorithm, keys) }
            }
            guard !statements.isEmpty else { return before }
            _ = try await db.run(statements)
            let after = try await keys(wanted, in: db)
            _ = try await db.run(
                AuditEvent.insert(
                    "rotateSigningKeys", of: tenant.description, owner: tenant.uuid, by: origin, before: Keys(signing_keys: before),
                    after: Keys(signing_keys: after), at: now))
            return after
        }
    }

    private func keys(_ wanted: SigningKey.Algorithm?, in db: Transaction) async throws -> [SigningKeyReply] {
        try await db.run(SigningKeyReply.all(of: tenant)).map(SigningKeyReply.init).filter { wanted == nil || $0.algorithm == wanted }
    }

    private struct Keys: Encodable {
        let signing_keys: [SigningKeyReply]
    }
}
