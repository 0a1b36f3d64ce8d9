package import Access
package import Delivery
package import Foundation
package import Postgres
package import Sealing

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
            signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
            account_linking, allows_support, purge_after, created_at, updated_at FROM tenant WHERE slug = \(slug)
        """
    }

    package static func find(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
            account_linking, allows_support, purge_after, created_at, updated_at FROM tenant WHERE id = \(id)
        """
    }

    /// Locks the row for a decision, so that it does not change until the transaction ends.
    package static func lock(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
            account_linking, allows_support, purge_after, created_at, updated_at FROM tenant
        WHERE id = \(id) FOR UPDATE
        """
    }

    package static func insert(
        _ id: ID<Tenant>, slug: String, name: String, plan: Plan, settings: Settings = Settings(), at now: Date
    ) -> SQL {
        """
        INSERT INTO tenant (id, slug, name, plan, status, session_seconds, idle_seconds, profile_retention_days, signing_key_days,
            single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page, account_linking,
            allows_support, created_at, updated_at)
        VALUES (\(id), \(slug), \(name), \(plan), \(Status.active), \(settings.sessionSeconds), \(settings.idleSeconds),
            \(settings.profileRetentionDays), \(settings.signingKeyDays), \(settings.singleSignOn),
            \(settings.browserSessionSeconds), \(settings.browserIdleSeconds), \(settings.signInPage),
            \(settings.accountLinking), \(settings.allowsSupport), \(now), \(now))
        RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
            account_linking, allows_support, purge_after, created_at, updated_at
        """
    }

    package static func use(_ connection: ID<Connection>, for tenant: ID<Tenant>, at now: Date) -> SQL {
        "UPDATE tenant SET connection_id = \(connection), updated_at = \(now) WHERE id = \(tenant)"
    }

    // MARK: For statements of other targets

    /// Selects the role that owns the table. It also owns the other tables.
    package static let owner: SQL = "SELECT relowner FROM pg_class WHERE oid = 'tenant'::regclass"

    /// Selects the ID, the slug, the name and the status of every tenant.
    package static let names: SQL = "SELECT id, slug, name, status FROM tenant"

    /// Selects what limits the sessions, the signing keys and the profiles of every tenant.
    package static let limits: SQL = """
        SELECT id, slug, status, session_seconds, idle_seconds, signing_key_days, profile_retention_days, tokens_valid_after FROM tenant
        """

    /// Locks the tenants among these that may be purged within a day. A purge waits until the transaction ends.
    package static func holdDuePurges(among ids: [UUID]) -> SQL {
        """
        SELECT FROM tenant WHERE id = ANY(\(ids))
            AND status = 'deleted' AND purge_after < clock_timestamp() + interval '1 day' ORDER BY id FOR KEY SHARE
        """
    }

    /// Locks a tenant while its keys change. Selects no row if another transaction changes the tenant, or if it is purged. The foreign
    /// keys of new rows do not wait for this lock.
    package static func lockForKeys(_ id: ID<Tenant>) -> SQL {
        "SELECT FROM tenant WHERE id = \(id) AND status <> 'purged' FOR NO KEY UPDATE SKIP LOCKED"
    }

    /// Ends all tokens that a tenant's users got until now. Selects the time until which tokens are no longer valid.
    package static func endTokens(of id: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE tenant SET tokens_valid_after = GREATEST(\(now), tokens_valid_after) WHERE id = \(id)
        RETURNING tokens_valid_after
        """
    }

    /// Whether all tokens of a tenant ended at a time or later, as a condition.
    package static func endedTokens(of id: ID<Tenant>, since time: Date) -> SQL {
        "EXISTS (SELECT FROM tenant WHERE id = \(id) AND tokens_valid_after >= \(time))"
    }

    /// Selects the IDs of the tenants that are active or suspended.
    package static let open: SQL = "SELECT id FROM tenant WHERE status IN ('active', 'suspended')"

    /// Selects a row if the tenant allows support, and locks it, so that this does not change until the transaction ends.
    package static func allowingSupport(_ id: ID<Tenant>) -> SQL {
        "SELECT FROM tenant WHERE id = \(id) AND allows_support FOR SHARE"
    }

    /// Selects the IDs of the active tenants among these.
    package static func active(among tenants: [UUID]) -> SQL {
        "SELECT id FROM tenant WHERE id = ANY(\(tenants)) AND status = \(Status.active)"
    }

    /// Selects the ID and the status of every tenant.
    package static let statuses: SQL = "SELECT id, status FROM tenant"

    /// Selects the ID and the slug of every tenant.
    package static let slugs: SQL = "SELECT id, slug FROM tenant"

    /// Whether a tenant was purged, as a condition.
    package static func isPurged(_ id: ID<Tenant>) -> SQL {
        "EXISTS (SELECT FROM tenant WHERE id = \(id) AND status = 'purged')"
    }
}

extension DeliverWebhook {
    /// Delivers the events of tenants that are not deleted.
    package init(
        databases: OwnerDatabases, keyring: Keyring, allowsPrivate: Bool, workOSBody: @escaping WorkOSBody,
        timeout: Duration = .seconds(15)
    ) {
        self.init(
            databases: databases, keyring: keyring, allowsPrivate: allowsPrivate, tenants: Tenant.statuses, workOSBody: workOSBody,
            timeout: timeout)
    }
}
