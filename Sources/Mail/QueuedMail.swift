import Access
import Foundation
import Outbox
import Postgres
import Sealing

/// A mail that waits for the mail server. Its ID is also the ID of its work in the outbox.
struct QueuedMail: Identified, Sendable {
    static let idPrefix = "mail"

    enum State: String, SQLValue {
        case waiting
        /// The server gets the content, or the result of this is unknown.
        case sending
    }

    let id: ID<QueuedMail>
    let owner: UUID
    let state: State
    /// How many attempts ended without a known result, before the one that is in progress.
    private let earlierUncertain: Int
    /// The attempt that last sent the content, as the outbox counts it. 0 before the first one.
    private let attempt: Int
    let deliverBefore: Date
    /// Nil for a mail of the platform.
    private let tenant: Tenant.Status?
    private let sealed: [UInt8]

    init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("tenant_id")
        state = try row.get("state")
        earlierUncertain = try row.get("uncertain")
        attempt = try row.get("attempt")
        deliverBefore = try row.get("deliver_before")
        tenant = try row.get("tenant_status")
        sealed = try row.get("sealed_message")
    }

    /// How often the server may have accepted the mail without a record of it.
    var uncertain: Int { earlierUncertain + (state == .sending ? 1 : 0) }

    /// Whether the tenant no longer exists for its users. Nothing is sent in its name then.
    var isOfDeletedTenant: Bool {
        switch tenant {
        case .deleted, .purged: true
        case .active, .suspended, nil: false
        }
    }

    /// Opens the mail.
    /// - Throws: `SealingError`, and the errors of `Mail.Message`.
    func message(_ keyring: Keyring) throws -> Mail.Message {
        try Mail.Message(
            try keyring.open(Sealed(bytes: sealed), in: Self.context(owner: owner, id)), deliverBefore: deliverBefore)
    }

    static func context(owner: UUID, _ id: ID<QueuedMail>) -> SealingContext {
        SealingContext(tenant: owner, table: "mail", column: "sealed_message", row: id.description)
    }
}

// MARK: Statements

extension QueuedMail {
    /// - Parameter tenants: Selects the ID and the status of every tenant.
    static func find(_ id: ID<QueuedMail>, of owner: UUID, tenants: SQL) -> SQL {
        """
        SELECT m.id, m.tenant_id, m.state, m.uncertain, m.attempt, m.deliver_before, m.sealed_message, t.status AS tenant_status
        FROM mail AS m LEFT JOIN (\(part: tenants)) AS t ON t.id = m.tenant_id
        WHERE m.tenant_id = \(owner) AND m.id = \(id)
        """
    }

    /// Records that the server gets the content now. It changes no row if another attempt did this since the mail was read. It may run
    /// twice, as after a lost connection to the database.
    func begin(_ attempt: Int) -> SQL {
        """
        UPDATE mail SET state = \(State.sending), uncertain = \(uncertain)::integer, attempt = \(attempt)::integer
        WHERE tenant_id = \(owner) AND id = \(id) AND attempt IN (\(self.attempt)::integer, \(attempt)::integer)
        """
    }

    /// Records that the server has not accepted the content of this attempt. It changes no row for an attempt that sent no content, or
    /// after a later one did.
    func wait(_ attempt: Int) -> SQL {
        """
        UPDATE mail SET state = \(State.waiting)
        WHERE tenant_id = \(owner) AND id = \(id) AND attempt = \(attempt)::integer
        """
    }

    /// After any attempt that knows the end: a mail that the server has accepted or refused must not be sent again.
    var delete: SQL {
        "DELETE FROM mail WHERE tenant_id = \(owner) AND id = \(id)"
    }

    /// The number of mails to send, up to a limit, and the time of the oldest one of those that it counts. It counts the mails that expire
    /// first.
    static func waiting(upTo limit: Int, at now: Date) -> SQL {
        """
        SELECT count(*) AS mails, min(created_at) AS since FROM (
            SELECT created_at FROM mail WHERE deliver_before > \(now) ORDER BY deliver_before LIMIT \(limit)) AS waiting
        """
    }

    /// Lets the work of all mails wait until their expiry, at most a number of rows. Without a sender, it would stay due, and each query
    /// for due work would read it.
    static func postpone(_ limit: Int, at now: Date) -> SQL {
        Outbox.postponement(source: expiries(after: now), upTo: limit)
    }

    /// Continues the mails that waited for a sender. A mail whose last attempt is at its expiry has one more attempt.
    static func resume(_ limit: Int, at now: Date) -> SQL {
        Outbox.resumption(source: expiries(after: now), upTo: limit, at: now)
    }

    private static func expiries(after now: Date) -> SQL {
        "SELECT tenant_id, id, deliver_before FROM mail WHERE deliver_before > \(now)"
    }

    /// Deletes expired mails together with their work, also without a sender, which would notice their expiry. They expired some time ago,
    /// so no attempt is in progress.
    static func forgetExpired(_ limit: Int, at now: Date) -> SQL {
        """
        WITH expired AS (
            SELECT tenant_id, id FROM mail WHERE deliver_before < \(now.addingTimeInterval(-600)) ORDER BY deliver_before LIMIT \(limit)),
        gone AS (
            DELETE FROM mail USING expired WHERE mail.tenant_id = expired.tenant_id AND mail.id = expired.id
            RETURNING mail.tenant_id, mail.id)
        \(part: Outbox.removal(source: "SELECT tenant_id, id FROM gone"))
        """
    }
}
