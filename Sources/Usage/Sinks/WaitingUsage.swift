import Foundation
import Postgres
import Tenancy
import Web

/// An event that is to be sent to the sink.
struct WaitingUsage: Sendable {
    let tenant: ID<Tenant>
    let id: UUID
    let occurredAt: Date
    /// The same, to the microsecond, as CloudEvents write it.
    let time: String
    let billingPeriod: Month
    let application: ID<Application>
    /// Nil when the tenant was purged meanwhile.
    let user: UUID?
    let kind: String
    let connection: String
    let customer: Customer
    /// When it was sent for the first time without an answer that said what became of it.
    let uncertainSince: Date?

    /// What Stripe calls the tenant.
    enum Customer: Sendable, Equatable {
        case known(String)
        /// Nothing of it is to be sent there.
        case none
        /// Nobody has said yet.
        case unknown
    }

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
        let customer: String? = try row.get("customer_id")
        uncertainSince = try row.get("uncertain_since")
        self.customer = try customer.map(Customer.known) ?? (row.get("has_customer") ? .none : .unknown)
    }

    /// But for those that were set aside.
    static func all(of batch: UUID) -> SQL {
        """
        SELECT e.tenant_id, e.id, e.occurred_at, to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time,
            e.billing_period, e.application_id, e.user_id, e.kind, e.connection, e.uncertain_since, c.customer_id,
            c.tenant_id IS NOT NULL AS has_customer
        FROM usage_sink_event e LEFT JOIN usage_sink_customer c ON c.tenant_id = e.tenant_id
        WHERE e.batch_id = \(batch) AND e.refused_at IS NULL ORDER BY e.occurred_at, e.tenant_id, e.id
        """
    }

    /// How it is called outside. By this the receiver counts once.
    var login: String { ID<Login>(id).description }

    // As Login writes them, which stands above this target.
    enum Login: Identified { static let idPrefix = "login" }
    private enum User: Identified { static let idPrefix = "user" }

    /// What it says (CloudEvents 1.0.2, "JSON Event Format"): the same as in an export.
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
        /// Whose meter counts it.
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

    /// The form of Stripe's `POST /v1/billing/meter_events`. `identifier` alone tells a repetition: with an `Idempotency-Key` Stripe would
    /// give the same answer for a day, a failure of its own too.
    func meterEvent(named name: String, for customer: String) -> String {
        [
            ("event_name", name), ("identifier", login), ("timestamp", "\(Int(occurredAt.timeIntervalSince1970.rounded(.down)))"),
            ("payload[stripe_customer_id]", customer), ("payload[value]", "1"),
        ].map { "\(Form.encode($0))=\(Form.encode($1))" }.joined(separator: "&")
    }
}
