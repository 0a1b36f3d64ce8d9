package import Access
package import Foundation
package import Postgres
package import Tenancy

/// One billable event, appended to the ledger and never changed.
package struct UsageEvent {
    package enum Kind: String, CaseIterable, SQLValue, Sendable {
        case login
    }

    /// The statement that bills a login. It must run in the transaction that creates the login's session, after `LoginLock.shared` and the
    /// session, so that neither exists without the other. Without a session, nothing is billed.
    ///
    /// The login is billed in the month in which it occurred. If that month is closed for the tenant (`CloseStatements`), it is billed in
    /// the first open month.
    ///
    /// - Parameters:
    /// - login: the ID of the login and of the event.
    /// - firstOpenMonth: selects the month after the last closed month of the tenant.
    /// - condition: whether the login has its session.
    /// - now: the creation time of the session.
    package static func insert(
        login: UUID, tenant: ID<Tenant>, application: ID<Application>, user: UUID, connection: Connection.Ownership, firstOpenMonth: SQL,
        if condition: SQL, at now: Date
    ) -> SQL {
        """
        WITH event AS (
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT \(now), GREATEST(\(Month(now)), (\(part: firstOpenMonth))),
                \(tenant), \(login), \(application), \(user), 'login', \(connection)
            WHERE \(part: condition)
            RETURNING occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        SELECT occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection FROM event
        """
    }

    /// Selects the first month with events of a tenant.
    /// - Parameters:
    ///   - tenant: The expression of the tenant's ID.
    ///   - month: The expression of the earliest month, or nil.
    package static func firstMonth(of tenant: SQL, from month: SQL? = nil) -> SQL {
        guard let month else { return "SELECT min(e.billing_period) FROM usage_event e WHERE e.tenant_id = \(part: tenant)" }
        return """
            SELECT min(e.billing_period) FROM usage_event e
            WHERE e.tenant_id = \(part: tenant) AND e.billing_period >= \(part: month)
            """
    }
}
