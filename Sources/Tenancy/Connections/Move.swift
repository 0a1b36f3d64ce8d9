import Access
import Foundation
import Postgres

/// The tenant whose connection is to change.
struct Move: Sendable {
    let plan: Tenant.Plan
    /// Its own connection that serves, or nil: the shared one does.
    let connection: ID<Connection>?
    /// Of the connection that serves.
    let relinkUntil: Date?
    let updatedAt: Date

    init(_ row: Row) throws {
        plan = try row.get("plan")
        connection = try row.get("connection_id")
        relinkUntil = try row.get("relink_until")
        updatedAt = try row.get("updated_at")
    }

    /// Holds the tenant and its connections until the transaction ends: the tenant first, as whoever changes one of them does
    /// (`requirePlan`), and the connections in their order, or each could wait for the other. The tenant is in the last answer.
    static func lock(_ tenant: ID<Tenant>) -> [SQL] {
        [
            // Weak enough not to hold up what only refers to the tenant.
            "SELECT FROM tenant WHERE id = \(tenant) FOR NO KEY UPDATE",
            "SELECT FROM connection WHERE tenant_id = \(tenant) ORDER BY id FOR UPDATE",
            """
            SELECT t.plan, t.connection_id, t.updated_at,
                CASE WHEN t.connection_id IS NULL THEN t.shared_relink_until ELSE c.relink_until END AS relink_until
            FROM tenant t LEFT JOIN connection c ON c.tenant_id = t.id AND c.id = t.connection_id WHERE t.id = \(tenant)
            """,
        ]
    }

    /// The connection that served no longer does, and nobody is taken over by it.
    static func leave(_ connection: ID<Connection>?, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE connection SET relink_until = NULL, updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(connection)
        """
    }
}
