package import Access
import Delivery
package import Foundation
package import Postgres
import Web

// MARK: Rows

extension SupportAccess {
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), person: try row.get("person_id"), operatorName: try row.get("operator_name"),
            reason: try row.get("reason"), startedAt: try row.get("started_at"), endsAt: try row.get("ends_at"),
            endedAt: try row.get("ended_at"), endedBy: try row.get("ended_by"))
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by FROM support_access
        WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// The support access, locked for a transaction that ends it.
    static func lock(_ id: ID<SupportAccess>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by FROM support_access
        WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    /// The support accesses of a tenant that nobody has ended, locked for a transaction that ends them.
    static func lockOpen(of tenant: UUID) -> SQL {
        """
        SELECT id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by FROM support_access
        WHERE tenant_id = \(tenant) AND ended_at IS NULL ORDER BY id FOR UPDATE
        """
    }

    /// The support access of a person in a tenant that nobody has ended.
    static func open(of person: ID<Person>, in tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by FROM support_access
        WHERE tenant_id = \(tenant) AND person_id = \(person) AND ended_at IS NULL
        """
    }

    /// The support accesses of a session's person in all tenants that nobody has ended.
    ///
    /// It reads the rows of all tenants by the person, because this work comes before the tenant is known, and an operator can help several
    /// tenants. The unique index of open ones leads to them (`support_access_open`).
    static func open(digests: [[UInt8]]) -> SQL {
        """
        SELECT tenant_id, id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by FROM support_access
        WHERE ended_at IS NULL
            AND person_id = (SELECT person_id FROM person_session WHERE tenant_id = \(UUID.platform) AND digest = ANY(\(digests)))
        """
    }

    /// The schema refuses a second one of the person in the tenant (`support_access_open`).
    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at)
        VALUES (\(tenant), \(id), \(person), \(operatorName), \(reason), \(startedAt), \(endsAt))
        """
    }
}

// MARK: End

/// The data of a webhook event about a support access. The reason is free text, which may name people, so it has none.
private struct EventContent: Encodable {
    let support_access_id: ID<SupportAccess>
    let ends_at: Date
}

extension SupportAccess {
    /// The support access after its end: at a time by an actor, or before that by the end of its time.
    func ended(by actor: String, at now: Date) -> SupportAccess {
        let isOver = endsAt <= now
        return SupportAccess(
            id: id, person: person, operatorName: operatorName, reason: reason, startedAt: startedAt, endsAt: endsAt,
            endedAt: isOver ? endsAt : now, endedBy: isOver ? AuditEvent.Origin.system.actor : actor)
    }

    /// The statements that end support accesses, which the transaction has locked. The trail of the tenant comes last.
    static func end(_ accesses: [SupportAccess], of owner: UUID, by origin: AuditEvent.Origin, at now: Date) throws -> [SQL] {
        var (changes, events, trail): ([SQL], [SQL], [SQL]) = ([], [], [])
        for access in accesses {
            let ended = access.ended(by: origin.actor, at: now)
            let author = access.endsAt <= now ? .system : origin
            changes.append(
                """
                UPDATE support_access SET ended_at = \(ended.endedAt), ended_by = \(ended.endedBy)
                WHERE tenant_id = \(owner) AND id = \(access.id)
                """)
            events.append(try access.event(.supportAccessEnded, of: owner, by: author, at: now))
            trail.append(
                try AuditEvent.insert(
                    "endSupportAccess", of: access.id.description, owner: owner, by: author,
                    before: SupportAccessReply(access, at: access.startedAt), after: SupportAccessReply(ended, at: now), at: now))
        }
        return changes + events + trail
    }

    func event(_ kind: WebhookEvent.Kind, of owner: UUID, by origin: AuditEvent.Origin, at now: Date) throws -> SQL {
        try WebhookEvent.emit(kind, data: EventContent(support_access_id: id, ends_at: endsAt), owner: owner, by: origin, at: now)
    }

    /// Ends all support accesses of a tenant that no longer allows them, as a part of this change.
    package static func endAll(of tenant: UUID, by origin: AuditEvent.Origin, in db: Transaction, at now: Date) async throws {
        let open = try await db.run(lockOpen(of: tenant)).map(SupportAccess.init)
        guard !open.isEmpty else { return }
        _ = try await db.run(end(open, of: tenant, by: origin, at: now))
    }

    /// Records the end of those whose time is over. They have no effect since then.
    package static func endDue(in database: PlatformDatabase, at now: Date) async throws {
        let owners: [UUID] = try await database.run(
            "SELECT DISTINCT tenant_id FROM support_access WHERE ended_at IS NULL AND ends_at <= \(now)"
        ).map { try $0.get("tenant_id") }
        for owner in owners {
            try await database.restricted(to: owner).transaction { db in
                let due = try await db.run(lockOpen(of: owner)).map(SupportAccess.init).filter { $0.endsAt <= now }
                guard !due.isEmpty else { return }
                _ = try await db.run(end(due, of: owner, by: .system, at: now))
            }
        }
    }
}
