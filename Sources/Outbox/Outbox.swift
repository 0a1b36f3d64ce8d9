package import Foundation
package import Postgres

/// Work that must happen after a commit: written in the transaction it follows from, done at least once.
package enum Outbox {
    /// - Parameters:
    ///   - kind: which handler does it.
    ///   - subject: the id of what it is about.
    package static func insert(_ kind: String, subject: UUID, owner: UUID, id: UUID, at now: Date) -> SQL {
        """
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
        VALUES (\(owner), \(id), \(kind), \(subject), \(now), \(now))
        """
    }

    /// One piece of work that is due, as a worker has taken it.
    package struct Entry: Sendable {
        /// A tenant's id, or the platform's.
        package let owner: UUID
        package let id: UUID
        package let kind: String
        package let subject: UUID
        /// How often it was taken, this time included. Whoever finishes it names this number: who has lost it to another process
        /// in the meantime changes nothing.
        package let attempts: Int
    }

    /// What became of a piece of work.
    package enum Outcome: Sendable, Equatable {
        case done
        /// Not yet: to be tried again at this time.
        case again(at: Date)
        /// It never will be done, and is forgotten; the log says so.
        case givenUp
    }
}

// MARK: What a worker asks

extension Outbox {
    /// Takes what is due, the oldest first, by moving its time on: who dies with it loses it when the lease is over.
    ///
    /// - Parameters:
    ///   - kinds: what there is a handler for; an older process leaves alone what a newer one has written.
    ///   - busy: owners that have their share of this process already.
    static func take(_ kinds: [String], passingOver busy: [UUID], limit: Int, until leaseEnds: Date, at now: Date) -> SQL {
        """
        WITH due AS (
            SELECT tenant_id, id FROM outbox
            WHERE due_at <= \(now) AND kind = ANY(\(kinds)) AND NOT tenant_id = ANY(\(busy))
            ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        UPDATE outbox SET due_at = \(leaseEnds), attempts = outbox.attempts + 1
        FROM due WHERE outbox.tenant_id = due.tenant_id AND outbox.id = due.id
        RETURNING outbox.tenant_id, outbox.id, outbox.kind, outbox.subject, outbox.attempts
        """
    }

    /// When there will be something to do.
    static func nextDue(_ kinds: [String], passingOver busy: [UUID]) -> SQL {
        """
        SELECT due_at FROM outbox WHERE kind = ANY(\(kinds)) AND NOT tenant_id = ANY(\(busy)) ORDER BY due_at LIMIT 1
        """
    }
}

extension Outbox.Entry {
    init(_ row: Row) throws {
        owner = try row.get("tenant_id")
        id = try row.get("id")
        kind = try row.get("kind")
        subject = try row.get("subject")
        attempts = try row.get("attempts")
    }

    func conclude(_ outcome: Outbox.Outcome) -> SQL {
        switch outcome {
        case .done, .givenUp:
            "DELETE FROM outbox WHERE tenant_id = \(owner) AND id = \(id) AND attempts = \(attempts)"
        case .again(let due):
            "UPDATE outbox SET due_at = \(due) WHERE tenant_id = \(owner) AND id = \(id) AND attempts = \(attempts)"
        }
    }
}
