import Access
import Apple
import Foundation
import Outbox
import Postgres
import Sealing
import Tenancy
import Web

/// A stored Apple notification, with its state and outcome.
struct StoredNotification: Identified, Sendable {
    static let idPrefix = "notification"

    /// The kind of its outbox entries.
    static let outboxKind = "apple_notification"

    /// How long a notification is stored, in seconds: 90 days. This is longer than the age at which Espalier refuses one. Otherwise a
    /// repeated notification could be treated as new.
    static let retention: TimeInterval = 90 * 86400

    enum State: String, Codable, CaseIterable, SQLValue {
        case pending, done
    }

    /// The outcome. A later case outweighs an earlier one if users of several tenants are concerned.
    enum Outcome: String, Codable, CaseIterable, SQLValue, Comparable {
        /// The content cannot be opened, because the master key is missing.
        case unreadable
        case unknownType = "unknown_type"
        case unknownUser = "unknown_user"
        /// The stored state is newer. The user has signed in again since then, or Apple has sent a later event.
        case superseded
        case applied

        static func < (left: Outcome, right: Outcome) -> Bool {
            allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
        }
    }

    let id: ID<StoredNotification>
    let type: String
    let clientID: String
    let teams: [String]
    let subject: String?
    let sealedPayload: Sealed
    let eventAt, receivedAt, waitingSince: Date
    let state: State
    let outcome: Outcome?
    let users, attempts: Int
    /// When the notification's user was deleted here. The notification no longer identifies the person, and Apple's content is erased.
    let forgottenAt: Date?
    let updatedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        type = try row.get("type")
        clientID = try row.get("client_id")
        teams = try row.get("team_ids")
        subject = try row.get("apple_sub")
        sealedPayload = Sealed(bytes: try row.get("sealed_payload"))
        eventAt = try row.get("event_at")
        receivedAt = try row.get("received_at")
        waitingSince = try row.get("waiting_since")
        state = try row.get("state")
        outcome = try row.get("outcome")
        users = try row.get("users")
        attempts = try row.get("attempts")
        forgottenAt = try row.get("forgotten_at")
        updatedAt = try row.get("updated_at")
    }

    static func context(_ id: ID<StoredNotification>, owner: UUID) -> SealingContext {
        SealingContext(tenant: owner, table: "apple_notification", column: "sealed_payload", row: id.uuid.uuidString.lowercased())
    }

    /// The type in metrics, from a closed set.
    static func label(_ event: AppleEvent) -> String {
        event.kind?.rawValue ?? "unknown"
    }

    /// The signed event.
    /// - Throws: an error if the content cannot be opened.
    func event(with keyring: Keyring, owner: UUID) throws -> AppleEvent {
        let payload = try keyring.open(sealedPayload, in: Self.context(id, owner: owner))
        return try AppleNotification(stored: String(decoding: payload, as: UTF8.self)).event
    }

    // MARK: Reply

    struct Reply: Encodable {
        let id: ID<StoredNotification>
        let object = "notification"
        let type, client_id: String
        fileprivate(set) var subject: String?
        let event_at, received_at: Date
        let state: State
        let outcome: Outcome?
        let users, attempts: Int
        let forgotten_at: Date?
        let created_at, updated_at: Date
    }

    var reply: Reply {
        Reply(
            id: id, type: type, client_id: clientID, subject: subject, event_at: eventAt, received_at: receivedAt, state: state,
            outcome: outcome, users: users, attempts: attempts, forgotten_at: forgottenAt, created_at: receivedAt, updated_at: updatedAt)
    }

    /// The notification in the audit trail, from which nothing can be deleted. It omits Apple's `sub`.
    var audited: Reply {
        var reply = reply
        reply.subject = nil
        return reply
    }
}

// MARK: SQL

extension StoredNotification {
    /// The teams of the owner's connections with this client, in use or not. It is one team, or two after a transfer.
    static func teams(of clientID: String, owner: UUID) -> SQL {
        Connection.teams(of: clientID, owner: owner)
    }

    /// Stores the notification together with its outbox entry. It inserts nothing if the notification arrived before.
    static func insert(
        _ id: ID<StoredNotification>, _ notification: AppleNotification, sealed: Sealed, teams: [String], owner: UUID, at now: Date
    ) -> SQL {
        """
        WITH stored AS (
            INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, apple_sub, event_at, sealed_payload,
                received_at, waiting_since, state, updated_at)
            VALUES (\(owner), \(id), \(notification.id), \(notification.event.type), \(notification.audience), \(teams),
                \(notification.event.subject), \(notification.event.occurredAt), \(sealed.bytes), \(now), \(now), \(State.pending), \(now))
            ON CONFLICT (tenant_id, jti) DO NOTHING
            RETURNING tenant_id, id)
        \(part: Outbox.insertion(outboxKind, source: "SELECT tenant_id, id FROM stored", id: UUID(), at: now))
        """
    }

    static func find(_ id: ID<StoredNotification>, of owner: UUID) -> SQL {
        """
        SELECT id, type, client_id, team_ids, apple_sub, sealed_payload, event_at, received_at, waiting_since, state, outcome, users,
            attempts, forgotten_at, updated_at
        FROM apple_notification WHERE tenant_id = \(owner) AND id = \(id)
        """
    }

    static func lock(_ id: ID<StoredNotification>, of owner: UUID) -> SQL {
        """
        SELECT id, type, client_id, team_ids, apple_sub, sealed_payload, event_at, received_at, waiting_since, state, outcome, users,
            attempts, forgotten_at, updated_at
        FROM apple_notification WHERE tenant_id = \(owner) AND id = \(id) FOR UPDATE
        """
    }

    static func page(_ page: PageRequest, of owner: UUID, type: String?, outcome: Outcome?) -> SQL {
        """
        SELECT id, type, client_id, team_ids, apple_sub, sealed_payload, event_at, received_at, waiting_since, state, outcome, users,
            attempts, forgotten_at, updated_at
        FROM apple_notification WHERE tenant_id = \(owner) AND id < \(page.upper) AND id > \(page.lower)
            AND (\(type) IS NULL OR type = \(type)) AND (\(outcome)::text IS NULL OR outcome = \(outcome))
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// Reads the notification and counts one more attempt.
    static func take(_ id: ID<StoredNotification>, of owner: UUID, at now: Date) -> SQL {
        """
        UPDATE apple_notification SET attempts = attempts + 1, updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(owner) AND id = \(id)
        RETURNING id, type, client_id, team_ids, apple_sub, sealed_payload, event_at, received_at, waiting_since, state, outcome, users,
            attempts, forgotten_at, updated_at
        """
    }

    /// Records the outcome, unless the notification was replayed in the meantime. It changes no row if nothing is different.
    func conclude(_ state: State, _ outcome: Outcome, users: Int, of owner: UUID) -> SQL {
        """
        UPDATE apple_notification SET state = \(state), outcome = \(outcome), users = \(users),
            updated_at = updated_at + interval '1 microsecond'
        WHERE tenant_id = \(owner) AND id = \(id) AND waiting_since = \(waitingSince)
            AND (state, outcome, users) IS DISTINCT FROM (\(state), \(outcome), \(users))
        """
    }

    /// - Returns: the statements that start the processing again.
    static func replay(_ id: ID<StoredNotification>, of owner: UUID, at now: Date) -> [SQL] {
        [
            """
            UPDATE apple_notification SET state = \(State.pending), outcome = NULL, users = 0, attempts = 0, waiting_since = \(now),
                updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
            WHERE tenant_id = \(owner) AND id = \(id)
            """,
            Outbox.insert(outboxKind, subject: id.uuid, owner: owner, id: UUID(), at: now),
        ]
    }

    /// Deletes the notifications whose retention is over.
    static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM apple_notification WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM apple_notification WHERE received_at <= \(now.addingTimeInterval(-retention))
                ORDER BY received_at LIMIT \(batch) FOR UPDATE SKIP LOCKED)
            """
        }
    }
}
