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
    /// - now: the creation time of the session.
    package static func insert(
        login: UUID, tenant: ID<Tenant>, application: ID<Application>, user: UUID, connection: Connection.Ownership, at now: Date
    ) -> SQL {
        """
        WITH event AS (
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT \(now), GREATEST(\(Month(now)),
                (SELECT (max(period) + interval '1 month')::date FROM statement WHERE tenant_id = \(tenant))),
                \(tenant), \(login), \(application), \(user), 'login', \(connection)
            WHERE EXISTS (SELECT FROM session WHERE tenant_id = \(tenant) AND id = \(login))
            RETURNING occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        SELECT occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection FROM event
        """
    }
}
