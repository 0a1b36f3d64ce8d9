import Access
import Apple
import Foundation
import Logging
import Outbox
import Postgres
import Sealing
import Tenancy
import Users

/// The result for a removed identity, in the audit trail.
private struct Concluded: Encodable {
    let team_id, client_id: String
    let status: AppleRevocation.Status
    let reason: AppleRevocation.Reason?
}

/// Ends the consent of a deleted user, or of a removed identity, at Apple (App Review Guideline 5.1.1(v)), as the handler of its outbox
/// entries. It tries until Apple has confirmed the revocation. The longest wait is one day, because keys are repaired and outages of Apple
/// end.
///
/// **The check for other users of the grant** runs here, after the commit of the deletion. Apple stores one consent per person and team.
/// Revoking any token of it ends it for all tenants that sign users in under the team, in particular for those on the shared connection. If
/// several tenants delete the same person at once, the last committed deletion finds no other identity here. So at least one of them
/// revokes, and two revocations have the effect of one.
///
/// **A person who has signed up again** before the revocation agreed to the consent that Apple stores. Revoking it would end the new user's
/// consent, so it ends with the deletion of the new user. A sign-in after the revocation is a new consent, with the name. If a person signs
/// in between this check and Apple's response, the session stays active, and Apple asks for consent at the next sign-in.
///
/// **A grant that stays valid is not lost.** Its new owner takes over the token and revokes it later (`handOverIfNeeded`).
///
/// A repetition after a crash is harmless, because Apple also confirms a grant that is already revoked.
struct RevokeAtApple: Sendable {
    let database: PlatformDatabase
    let keyring: Keyring
    let apple: AppleClient
    let logger: Logger

    /// The wait after each attempt, in seconds, plus or minus a tenth.
    static let schedule: [TimeInterval] = [60, 300, 1800, 7200, 21600, 86400]
    /// How long Espalier waits for the return of a deleted connection, in seconds: 30 days.
    static let patience: TimeInterval = 30 * 86400
    /// How many keys one attempt tries. A client has two. All must finish before the outbox's lease ends.
    private static let mostKeys = 4

    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. The revocation does not change and is tried again.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = database.restricted(to: entry.owner)
        let id = ID<AppleRevocation>(entry.subject)
        guard let pending = try await database.run(AppleRevocation.Pending.find(id, owner: entry.owner)).first(AppleRevocation.Pending.init)
        else { return .done }
        let grant = try AppleRevocation.Grant(
            try keyring.open(pending.sealedGrant, in: AppleRevocation.context(entry.owner, id)))

        switch try await handOverIfNeeded(grant, of: pending, owner: entry.owner, at: now) {
        case .done: return .done
        case .parked(let reason):
            try await postpone(pending, reason, asked: false, in: database, at: now)
            return .again(at: Self.next(after: Self.schedule.count, at: now))
        case .notNeeded: break
        }
        let credentials = try await credentials(for: pending, owner: entry.owner, at: now)
        let again = Self.next(after: entry.attempts, at: now)
        guard !credentials.isEmpty else {
            if try await isTransferred(pending, in: database) {
                try await conclude(pending, .notNeeded, .transferred, asked: false, in: database, at: now)
                return .done
            }
            guard now < (pending.waitingSince ?? now).addingTimeInterval(Self.patience) else {
                try await conclude(pending, .impossible, .noCredentials, asked: false, in: database, at: now)
                return .done
            }
            try await postpone(pending, .noCredentials, asked: false, in: database, at: now)
            return .again(at: again)
        }
        if let reason = try await revoke(grant, with: credentials, at: now) {
            if reason == .credentialsRefused, try await isTransferred(pending, in: database) {
                try await conclude(pending, .notNeeded, .transferred, asked: true, in: database, at: now)
                return .done
            }
            try await postpone(pending, reason, asked: true, in: database, at: now)
            if reason != .appleUnavailable {
                logger.error(
                    "Apple does not revoke the consent of a deleted user or a removed identity",
                    metadata: ["revocation": "\(id)", "client_id": "\(pending.clientID)", "reason": "\(reason.rawValue)"])
            }
            return .again(at: again)
        }
        try await conclude(pending, .revoked, nil, asked: true, in: database, at: now)
        return .done
    }

    static func next(after times: Int, at now: Date) -> Date {
        now.addingTimeInterval(schedule[min(max(times, 1), schedule.count) - 1] * Double.random(in: 0.9...1.1))
    }
}

// MARK: Calls

extension RevokeAtApple {
    /// The client's current credentials: the tenant's own keys first, then the platform's.
    private func credentials(for pending: AppleRevocation.Pending, owner: UUID, at now: Date) async throws -> [AppleClientCredentials] {
        var credentials: [AppleClientCredentials] = []
        for owner in [owner, .platform] {
            credentials += try await AppleClientCredentials.all(
                teamID: pending.teamID, clientID: pending.clientID, in: database.restricted(to: owner), keyring: keyring, at: now)
        }
        return Array(credentials.prefix(Self.mostKeys))
    }

    /// Whether the deleted user had moved to another team with the app. The deletion did not know that, but it has a grant under the other
    /// team, too. Apple no longer accepts the old team's keys, and no repair is possible.
    ///
    /// A removed identity has no record of its user, so the transfer of its app is enough: of its Services ID, or of the one in whose
    /// connection its bundle ID is.
    private func isTransferred(_ pending: AppleRevocation.Pending, in database: OwnerDatabase) async throws -> Bool {
        let moved = TeamTransfer.moved(from: pending.teamID, of: database.owner)
        let statement: SQL =
            if let deletion = pending.deletion {
                """
                SELECT FROM (\(part: moved)) AS t
                    JOIN apple_revocation r ON r.tenant_id = t.tenant_id AND r.team_id = t.to_team_id
                WHERE r.deletion_id = \(deletion) LIMIT 1
                """
            } else {
                """
                SELECT FROM (\(part: moved)) AS t
                WHERE t.services_id = \(pending.clientID) OR EXISTS (SELECT FROM (\(part: Connection.clients)) AS c
                    WHERE c.tenant_id = t.tenant_id AND c.services_id = t.services_id AND \(pending.clientID) = ANY(c.bundle_ids))
                LIMIT 1
                """
            }
        return try await !database.run(statement).isEmpty
    }

    /// - Returns: nil if Apple has confirmed the revocation, otherwise the reason why not.
    private func revoke(
        _ grant: AppleRevocation.Grant, with credentials: [AppleClientCredentials], at now: Date
    ) async throws -> AppleRevocation.Reason? {
        for credentials in credentials {
            do throws(AppleError) {
                try await apple.revoke(token: grant.refreshToken, credentials: credentials, at: now)
                return nil
            } catch {
                switch error {
                // Another key may work.
                case .refused(.invalidClient), .unsigned: continue
                case .refused, .untrusted: return .refused
                case .timedOut, .unreachable, .unavailable, .nonsense, .busy: return .appleUnavailable
                case .cancelled: throw CancellationError()
                }
            }
        }
        return .credentialsRefused
    }
}

// MARK: Statements

extension RevokeAtApple {
    private func conclude(
        _ pending: AppleRevocation.Pending, _ status: AppleRevocation.Status, _ reason: AppleRevocation.Reason?, asked: Bool,
        in database: OwnerDatabase, at now: Date
    ) async throws {
        try await database.transaction { db in
            try await conclude(pending, status, reason, asked: asked, owner: database.owner, in: db, at: now)
        }
    }

    /// Concludes a revocation and writes its audit event. The last one also finishes the deletion. It writes nothing if another process was
    /// faster.
    /// - Parameter db: a transaction that ends after this call.
    func conclude(
        _ pending: AppleRevocation.Pending, _ status: AppleRevocation.Status, _ reason: AppleRevocation.Reason?, asked: Bool,
        owner: UUID, in db: Transaction, at now: Date
    ) async throws {
        let tries = asked ? 1 : 0
        let (_, concluded) = try await db.run(
            Self.lock(pending, owner: owner),
            """
            UPDATE apple_revocation SET status = \(status), reason = \(reason), sealed_grant = NULL, attempts = attempts + \(tries),
                last_tried_at = CASE WHEN \(asked) THEN \(now) ELSE last_tried_at END, concluded_at = \(now)
            WHERE tenant_id = \(owner) AND id = \(pending.id) AND status = \(AppleRevocation.Status.pending)
            """)
        guard concluded.affected == 1 else { return }
        guard let deletion = pending.deletion else {
            let result = Concluded(team_id: pending.teamID, client_id: pending.clientID, status: status, reason: reason)
            _ = try await db.run(
                try AuditEvent.insert("revokeAtApple", of: pending.id.description, owner: owner, by: .system, after: result, at: now))
            return
        }
        let (_, deletions) = try await db.run(
            """
            UPDATE user_deletion d SET finished_at = CASE WHEN NOT EXISTS (SELECT FROM apple_revocation r
                    WHERE r.tenant_id = d.tenant_id AND r.deletion_id = d.id AND r.status = \(AppleRevocation.Status.pending))
                    THEN GREATEST(\(now), d.requested_at) END,
                updated_at = GREATEST(\(now), d.updated_at + interval '1 microsecond')
            WHERE d.tenant_id = \(owner) AND d.id = \(deletion)
            """,
            UserDeletionReply.find(deletion, of: ID(owner)))
        guard let record = try UserDeletionReply.all(deletions).first else { return }
        _ = try await db.run(
            try AuditEvent.insert("revokeAtApple", of: deletion.description, owner: owner, by: .system, after: record, at: now))
    }

    /// Records why the revocation is not done yet.
    private func postpone(
        _ pending: AppleRevocation.Pending, _ reason: AppleRevocation.Reason, asked: Bool, in database: OwnerDatabase, at now: Date
    ) async throws {
        let (owner, tries) = (database.owner, asked ? 1 : 0)
        _ = try await database.run([
            Self.lock(pending, owner: owner),
            """
            UPDATE apple_revocation SET reason = \(reason), attempts = attempts + \(tries),
                last_tried_at = CASE WHEN \(asked) THEN \(now) ELSE last_tried_at END,
                waiting_since = CASE WHEN \(reason == .noCredentials) THEN COALESCE(waiting_since, \(now)) END
            WHERE tenant_id = \(owner) AND id = \(pending.id) AND status = \(AppleRevocation.Status.pending)
            """,
            """
            UPDATE user_deletion SET updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
            WHERE tenant_id = \(owner) AND id = \(pending.deletion) AND finished_at IS NULL
            """,
        ])
    }

    /// Locks the deletion first. If two revocations conclude at once, the second one sees the first and finishes the deletion.
    static func lock(_ pending: AppleRevocation.Pending, owner: UUID) -> SQL {
        pending.deletion.map { "SELECT FROM user_deletion WHERE tenant_id = \(owner) AND id = \($0) FOR UPDATE" }
            ?? "SELECT FROM apple_revocation WHERE tenant_id = \(owner) AND id = \(pending.id) FOR UPDATE"
    }
}
