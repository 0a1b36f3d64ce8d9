package import Foundation
package import Postgres

/// Work that must happen after a commit. It is written in the transaction that requires it, and is done at least
/// once.
package enum Outbox {
    /// - Parameters:
    ///   - kind: The kind of work, which determines the handler.
    ///   - subject: The ID of the object of the work.
    package static func insert(_ kind: String, subject: UUID, owner: UUID, id: UUID, at now: Date) -> SQL {
        """
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
        VALUES (\(owner), \(id), \(kind), \(subject), \(now), \(now))
        """
    }

    /// Inserts work per row of a source, as a part of a statement that inserts the rows.
    /// - Parameter source: Selects the owner and the ID of the object of the work.
    package static func insertion(_ kind: String, source: SQL, id: UUID, at now: Date) -> SQL {
        """
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
        SELECT source.owner, \(id), \(kind), source.id, \(now), \(now) FROM (\(part: source)) AS source (owner, id)
        """
    }

    /// Makes work due at once, and inserts it if it is missing. The work has the ID of its object.
    /// - Parameter source: Selects the owner and the ID of the object of the work.
    package static func wake(_ kind: String, source: SQL, at now: Date) -> SQL {
        """
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
        SELECT source.owner, source.id, \(kind), source.id, \(now), \(now) FROM (\(part: source)) AS source (owner, id)
        ON CONFLICT (tenant_id, id) DO UPDATE SET due_at = excluded.due_at, attempts = outbox.attempts + 1
        """
    }

    /// Removes the work per row of a source, as a part of a statement that deletes the objects of the work. The work has the ID of its
    /// object.
    /// - Parameter source: Selects the owner and the ID of the object of the work.
    package static func removal(source: SQL) -> SQL {
        """
        DELETE FROM outbox USING (\(part: source)) AS source (owner, id)
        WHERE outbox.tenant_id = source.owner AND outbox.id = source.id
        """
    }

    /// Moves the work per row of a source to a later time, at most a number of rows. The work has the ID of its object. For work that no
    /// process can do now, so that no query for due work reads it.
    /// - Parameter source: Selects the owner, the ID of the object of the work, and the time.
    package static func postponement(source: SQL, upTo limit: Int) -> SQL {
        """
        WITH early AS (
            SELECT outbox.tenant_id, outbox.id, source.due_at
            FROM outbox JOIN (\(part: source)) AS source (owner, id, due_at) ON outbox.tenant_id = source.owner AND outbox.id = source.id
            WHERE outbox.due_at < source.due_at LIMIT \(limit) FOR UPDATE OF outbox SKIP LOCKED)
        UPDATE outbox SET due_at = early.due_at FROM early WHERE outbox.tenant_id = early.tenant_id AND outbox.id = early.id
        """
    }

    /// Makes postponed work due at once, at most a number of rows.
    /// - Parameter source: Selects what `postponement` selected.
    package static func resumption(source: SQL, upTo limit: Int, at now: Date) -> SQL {
        """
        WITH postponed AS (
            SELECT outbox.tenant_id, outbox.id
            FROM outbox JOIN (\(part: source)) AS source (owner, id, due_at) ON outbox.tenant_id = source.owner AND outbox.id = source.id
            WHERE outbox.due_at = source.due_at AND outbox.due_at > \(now) LIMIT \(limit) FOR UPDATE OF outbox SKIP LOCKED)
        UPDATE outbox SET due_at = \(now) FROM postponed WHERE outbox.tenant_id = postponed.tenant_id AND outbox.id = postponed.id
        """
    }

    /// Counts the waiting work of an owner, up to a limit.
    package static func waiting(of owner: UUID, upTo limit: Int) -> SQL {
        "SELECT count(*) AS n FROM (SELECT FROM outbox WHERE tenant_id = \(owner) LIMIT \(limit)) AS waiting"
    }

    /// One due piece of work that a worker has taken.
    package struct Entry: Sendable {
        /// A tenant's ID, or the platform's.
        package let owner: UUID
        package let id: UUID
        package let kind: String
        package let subject: UUID
        /// How often the work was taken, including this time. A worker that ends the work names this number. So a worker that
        /// has lost the work to another process in the meantime changes nothing.
        package let attempts: Int
    }

    /// The result of a piece of work.
    package enum Outcome: Sendable, Equatable {
        case done
        /// Not yet done. It is retried at this time.
        case again(at: Date)
        /// It can never be done. It is deleted, and the log reports it.
        case givenUp
    }
}

// MARK: Queries of a worker

extension Outbox {
    /// Takes the due work, oldest first, and moves its time to the end of the lease. If the process dies, another one
    /// takes the work then.
    ///
    /// - Parameters:
    ///   - kinds: The kinds with a handler. So an older process leaves the work of a newer process alone.
    ///   - busy: Owners that already have their share of this process.
    static func take(_ kinds: [String], skipping busy: [UUID], limit: Int, until leaseEnds: Date, at now: Date) -> SQL {
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

    /// The time of the next work that is due until a time. Without this limit, it would read all later work of other kinds.
    static func nextDue(_ kinds: [String], skipping busy: [UUID], until end: Date) -> SQL {
        """
        SELECT due_at FROM outbox
        WHERE due_at <= \(end) AND kind = ANY(\(kinds)) AND NOT tenant_id = ANY(\(busy)) ORDER BY due_at LIMIT 1
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
