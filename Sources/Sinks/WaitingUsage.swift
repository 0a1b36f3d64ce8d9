import Access
import Foundation
import Ledger
import Postgres
import Tenancy

/// An event that waits to be sent to the sink as a CloudEvent.
struct WaitingUsage: Sendable {
    let tenant: ID<Tenant>
    let id: UUID
    let occurredAt: Date
    /// The time of the login to the microsecond, in the format of CloudEvents.
    let time: String
    let billingPeriod: Month
    let application: ID<Application>
    /// Nil if the tenant has been purged since then.
    let user: UUID?
    let kind: String
    let connection: String

    init(_ row: Row) throws {
        tenant = try row.get("tenant_id")
        id = try row.get("id")
        occurredAt = try row.get("occurred_at")
        time = try row.get("time")
        billingPeriod = try row.get("billing_period")
        application = try row.get("application_id")
        user = try row.get("user_id")
        kind = try row.get("kind")
        connection = try row.get("connection")
    }

    /// All events of a batch except those that were set aside.
    static func all(of batch: UUID) -> SQL {
        """
        SELECT e.tenant_id, e.id, e.occurred_at, to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time,
            e.billing_period, e.application_id, e.user_id, e.kind, e.connection
        FROM usage_sink_event e
        WHERE e.batch_id = \(batch) AND e.refused_at IS NULL ORDER BY e.occurred_at, e.tenant_id, e.id
        """
    }

    /// The public ID of the login. The receiver counts each ID once.
    var login: String { ID<Login>(id).description }

    // The same prefix as in the target of logins, which this target cannot import.
    enum Login: Identified { static let idPrefix = "login" }
    private enum User: Identified { static let idPrefix = "user" }

    /// The content of the event (CloudEvents 1.0.2, "JSON Event Format"). It is the same as in an export.
    struct CloudEvent: Encodable {
        struct Data: Encodable {
            let application_id: ID<Application>
            let user_id: String?
            let kind, connection: String
            let billing_period: Month
        }
        let specversion = "1.0"
        let id: String
        let source: String
        let type: String
        /// The tenant whose meter counts the login.
        let subject: ID<Tenant>
        let time: String
        let datacontenttype = "application/json"
        let data: Data
    }

    var cloudEvent: CloudEvent {
        CloudEvent(
            id: login, source: "/tenants/\(tenant)", type: "espalier.\(kind).succeeded", subject: tenant, time: time,
            data: .init(
                application_id: application, user_id: user.map { ID<User>($0).description }, kind: kind, connection: connection,
                billing_period: billingPeriod))
    }
}
