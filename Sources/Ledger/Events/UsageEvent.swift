package import Access
package import Foundation
package import Postgres
package import Tenancy

/// One billable fact, appended to the ledger and never edited.
package struct UsageEvent {
    package enum Kind: String, CaseIterable, SQLValue, Sendable {
        case login
    }

    /// The statement that bills a login. It belongs in the transaction that creates the login's session, after `LoginLock.shared` and
    /// the session: neither is ever there without the other. Where no session was begun, nothing is billed.
    ///
    /// It is billed in the month in which it occurred; when that one is closed for the tenant (`CloseStatements`), in the first that is
    /// open.
    ///
    /// - Parameters:
    ///   - login: the login's id, which is the event's.
    ///   - now: when the session was created.
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
