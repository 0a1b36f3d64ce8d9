package import Access
package import Foundation
package import Postgres

extension Tenant {
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), slug: try row.get("slug"), name: try row.get("name"), plan: try row.get("plan"),
            status: try row.get("status"), connectionID: try row.get("connection_id"), settings: try Settings(row),
            purgeAfter: try row.get("purge_after"), createdAt: try row.get("created_at"), updatedAt: try row.get("updated_at"))
    }

    /// Its own connection. Nil if the shared connection serves it.
    package var connection: ID<Connection>? { connectionID.map(ID.init) }

    /// Returns a row if the tenant exists, with any status.
    package static func exists(slug: String) -> SQL {
        "SELECT id FROM tenant WHERE slug = \(slug)"
    }

    package static func find(slug: String) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant WHERE slug = \(slug)
        """
    }

    package static func find(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant WHERE id = \(id)
        """
    }

    /// Locks the row for a decision, so that it does not change until the transaction ends.
    package static func lock(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant
        WHERE id = \(id) FOR UPDATE
        """
    }

    package static func insert(
        _ id: ID<Tenant>, slug: String, name: String, plan: Plan, settings: Settings = Settings(), at now: Date
    ) -> SQL {
        """
        INSERT INTO tenant (id, slug, name, plan, status, session_seconds, idle_seconds, profile_retention_days, signing_key_days,
            created_at, updated_at)
        VALUES (\(id), \(slug), \(name), \(plan), \(Status.active), \(settings.sessionSeconds), \(settings.idleSeconds),
            \(settings.profileRetentionDays), \(settings.signingKeyDays), \(now), \(now))
        RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at
        """
    }

    package static func use(_ connection: ID<Connection>, for tenant: ID<Tenant>, at now: Date) -> SQL {
        "UPDATE tenant SET connection_id = \(connection), updated_at = \(now) WHERE id = \(tenant)"
    }

    // MARK: For statements of other targets

    /// Selects the ID, the slug, the name and the status of every tenant.
    package static let names: SQL = "SELECT id, slug, name, status FROM tenant"

    /// Selects the ID and the slug of every tenant.
    package static let slugs: SQL = "SELECT id, slug FROM tenant"

    /// Whether a tenant was purged, as a condition.
    package static func isPurged(_ id: ID<Tenant>) -> SQL {
        "EXISTS (SELECT FROM tenant WHERE id = \(id) AND status = 'purged')"
    }
}
