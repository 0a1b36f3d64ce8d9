package import Access
package import Foundation
package import Postgres
package import Tenancy

/// One billable event, appended to the ledger and never changed. It arrives in `usage_arrival`, and `RollUp` moves it to `usage_event`.
package struct UsageEvent {
    package enum Kind: String, CaseIterable, SQLValue, Sendable {
        case login
        /// A sign-in with the session of the browser, without Apple. It is not a login, has no user in the number of users, and is free unless
        /// the rate card has a price for it.
        case silentLogin = "silent_login"
    }

    /// The part of a WITH clause that bills a login or a silent sign-in. The statement also creates the login's session, so that neither exists without the
    /// other. Its transaction holds `LoginLock.shared`.
    ///
    /// The login is billed in the month in which it occurred. If that month is closed for the tenant (`CloseStatements`), it is billed in
    /// the first open month.
    ///
    /// - Parameters:
    /// - kind: the kind of the sign-in.
    /// - login: the ID of the login and of the event.
    /// - session: the name of the part of the WITH clause that creates the session and returns its user's `id`. Without a row, nothing is
    /// billed.
    /// - firstOpenMonth: selects the month after the last closed month of the tenant.
    /// - now: the creation time of the session.
    package static func insert(
        _ kind: Kind, login: UUID, tenant: ID<Tenant>, application: ID<Application>, session: SQL, connection: Connection.Ownership,
        firstOpenMonth: SQL, at now: Date
    ) -> SQL {
        let name: SQL =
            switch kind {
            case .login: "'login'"
            case .silentLogin: "'silent_login'"
            }
        return """
            billed AS (
                INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT \(now), GREATEST(\(Month(now)), (\(part: firstOpenMonth))),
                    \(tenant), \(login), \(application), id, \(part: name), \(connection)
                FROM \(part: session))
            """
    }

    /// Selects the events that are not in the ledger yet. The deletion of an arrival inserts its event (`record_usage_events`). Servers of
    /// an older version write both at once.
    static let waiting: SQL = """
        SELECT a.tenant_id, a.billing_period, a.occurred_at, a.id, a.application_id, a.user_id, a.kind, a.connection FROM usage_arrival a
        WHERE NOT EXISTS (SELECT FROM usage_event e WHERE e.tenant_id = a.tenant_id AND e.billing_period = a.billing_period
            AND e.occurred_at = a.occurred_at AND e.id = a.id)
        """

    /// Selects a row if events of a tenant that are billed in a month or before wait to be aggregated.
    package static func wait(of tenant: ID<Tenant>, upTo month: Month) -> SQL {
        "SELECT FROM usage_arrival WHERE tenant_id = \(tenant) AND billing_period <= \(month) LIMIT 1"
    }

    /// Selects the time of the oldest event that is not in the ledger yet, of one tenant or of all.
    package static func oldestWaiting(of tenant: ID<Tenant>?) -> SQL {
        guard let tenant else { return "SELECT min(occurred_at) AS waits_since FROM (\(part: waiting)) AS waiting" }
        return "SELECT min(occurred_at) AS waits_since FROM (\(part: waiting)) AS waiting WHERE tenant_id = \(tenant)"
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
