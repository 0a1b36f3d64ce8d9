import Access
import Foundation
import Postgres
import Sealing
import Tenancy

/// The rotation of a tenant's signing keys.
///
///     next ──promote──▶ current ──promote──▶ retired ──▶ deleted   a promotion makes a new next key
///       └──────────────────┴──────replace───────┴──────▶ deleted   a replacement makes a new current and a new next key
///
/// A tenant with keys always has a current key. A promoted key has been published for so long that every cached JWKS contains it
/// (`SigningKey.notice`). Only a replacement cannot wait for that.
///
/// Rotations of one tenant never overlap. Each one locks the tenant's row first and makes its keys under that lock. So Espalier makes no
/// RSA key without a use for it, and no caller can force it to make more.
struct SigningKeyRotation: Sendable {
    private let tenant: ID<Tenant>
    private let database: OwnerDatabase
    private let keyring: Keyring

    init(of tenant: ID<Tenant>, database: OwnerDatabase, keyring: Keyring) {
        (self.tenant, self.database, self.keyring) = (tenant, database, keyring)
    }

    enum Refusal: Error, Equatable {
        /// Another rotation is running, or the tenant is being changed.
        case busy
        /// The tenant has no such key yet.
        case none
        /// The keys of this algorithm cannot change before this time.
        case tooSoon(SigningKey.Algorithm, until: Date)
    }

    /// How many retired keys of an algorithm may be published at once. Many clients read the JWKS, so it must stay small.
    private static let retiredAtMost = 10
    /// How old keys must be before they can be replaced, in seconds. Making keys takes long, and replacing new keys again does not improve
    /// security.
    private static let rest: TimeInterval = 60

    /// Lets the next key of one algorithm or of all algorithms sign. The next key was published long ago, so clients notice no change.
    ///
    /// - Parameter latest: keys that started to sign after this time do not change.
    /// - Returns: the keys of the algorithm, or all keys, after the change.
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
            // Only one key is current and only one is next at any time, so the old key is retired first.
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

    /// Deletes all keys of one algorithm or of all algorithms, private and public halves, and makes new ones. This is for keys that someone
    /// else may have. Tokens that the old keys signed no longer verify anywhere. Nobody has seen the new keys before.
    ///
    /// - Returns: the keys of the algorithm, or all keys, after the change.
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

    /// Retires a key. The later of both clocks counts, because publishing a key for too long is harmless.
    private func retire(_ id: ID<SigningKey>, at now: Date) -> SQL {
        """
        UPDATE signing_key SET state = \(SigningKey.State.retired), retired_at = \(now),
            published_until = GREATEST(\(now), clock_timestamp()) + make_interval(secs => \(SigningKey.afterlife))
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// The common steps: lock the tenant, read its keys, decide per algorithm, write the changes and record the audit event.
    private func turn(
        _ wanted: SigningKey.Algorithm?, by origin: AuditEvent.Origin, at now: Date,
        _ changes: @Sendable (SigningKey.Algorithm, [SigningKeyReply]) async throws -> [SQL]
    ) async throws -> [SigningKeyReply] {
        try await database.transaction { db in
            // Foreign key checks do not wait for this weaker lock, so logins that make a first key continue.
            let locked = try await db.run(Tenant.lockForKeys(tenant))
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
