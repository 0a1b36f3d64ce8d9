package import Foundation
package import Postgres
import Web

/// The keys that a person issued, and whose secrets it saw.
extension APIKey {
    /// The valid keys that a person issued for some owners, newest first.
    package static func issued(
        by person: ID<Person>, for owners: [UUID], in db: some StatementRunner, at now: Date
    ) async throws -> [(owner: UUID, key: ShownAPIKey)] {
        try await db.run(
            """
            SELECT tenant_id, id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
            FROM api_key
            WHERE tenant_id = ANY(\(owners)) AND issued_by = \(person) AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > \(now))
            ORDER BY id DESC LIMIT 200
            """
        ).map { (try $0.get("tenant_id"), try ShownAPIKey($0)) }
    }

    /// Revokes the valid keys that a person issued for an owner, with an event for each in the trail of the owner.
    /// - Parameters:
    ///   - id: only this key.
    ///   - action: the `operationId` for the audit trail.
    @discardableResult
    package static func revokeIssued(
        by person: ID<Person>, owner: UUID, only id: ID<APIKey>? = nil, as action: String, origin: AuditEvent.Origin, in db: Transaction,
        at now: Date
    ) async throws -> [ID<APIKey>] {
        let keys = try await db.run(
            """
            SELECT id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
            FROM api_key
            WHERE tenant_id = \(owner) AND issued_by = \(person) AND (\(id)::uuid IS NULL OR id = \(id))
                AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > \(now))
            ORDER BY id FOR UPDATE
            """
        ).map(ShownAPIKey.init)
        guard !keys.isEmpty else { return [] }
        let revoked = try await db.run(
            keys.map { key in
                """
                UPDATE api_key SET revoked_at = \(now), updated_at = \(now.asChange(after: key.updated_at))
                WHERE tenant_id = \(owner) AND id = \(key.id)
                RETURNING id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
                """
            })
        _ = try await db.run(
            try zip(keys, revoked).map { key, rows in
                try AuditEvent.insert(
                    action, of: key.id.description, owner: owner, by: origin, before: key, after: rows.first(ShownAPIKey.init), at: now)
            })
        return keys.map(\.id)
    }

    /// The number of valid keys of an owner, per person who issued some.
    package static func issuedCounts(
        by people: [ID<Person>], owner: UUID, in db: some StatementRunner, at now: Date
    ) async throws -> [ID<Person>: Int] {
        let rows = try await db.run(
            """
            SELECT issued_by, count(*) AS n FROM api_key
            WHERE tenant_id = \(owner) AND issued_by = ANY(\(people)) AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > \(now))
            GROUP BY issued_by
            """)
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.get("issued_by"), try $0.get("n")) })
    }
}
