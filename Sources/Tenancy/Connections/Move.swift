import Access
import Foundation
import Postgres

/// The tenant of a connection change.
struct Move: Sendable {
    let plan: Tenant.Plan
    /// The tenant's own connection in use. Nil means the shared one.
    let connection: ID<Connection>?
    /// The relink end of the connection in use.
    let relinkUntil: Date?
    let updatedAt: Date

    init(_ row: Row) throws {
        plan = try row.get("plan")
        connection = try row.get("connection_id")
        relinkUntil = try row.get("relink_until")
        updatedAt = try row.get("updated_at")
    }

    /// Locks the tenant and its connections until the transaction ends.
    ///
    /// The tenant comes first, as in every change of a connection (`requirePlan`). The connections follow in their order, to avoid a
    /// deadlock.
    static func lock(_ tenant: ID<Tenant>) -> [SQL] {
        [
            // This lock is weak enough not to block rows that only refer to the tenant.
            "SELECT FROM tenant WHERE id = \(tenant) FOR NO KEY UPDATE",
            "SELECT FROM connection WHERE tenant_id = \(tenant) ORDER BY id FOR UPDATE",
        ]
    }

    static func find(_ tenant: ID<Tenant>) -> SQL {
        """
        SELECT t.plan, t.connection_id, t.updated_at,
            CASE WHEN t.connection_id IS NULL THEN t.shared_relink_until ELSE c.relink_until END AS relink_until
        FROM tenant t LEFT JOIN connection c ON c.tenant_id = t.id AND c.id = t.connection_id WHERE t.id = \(tenant)
        """
    }

    /// Ends the relink of the connection that was in use.
    static func leave(_ connection: ID<Connection>?, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE connection SET relink_until = NULL, updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(connection)
        """
    }
}
