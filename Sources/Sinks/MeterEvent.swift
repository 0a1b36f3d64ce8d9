import Access
import Encoding
import Foundation
import Ledger
import Postgres

/// The logins of a tenant in one minute, as one event for Stripe's meter.
///
/// The database fixes its identifier and its number of logins before the first request, and they never change again. So a repetition has
/// the same content, even after a crash, and Stripe counts it once. Later logins of the minute have another sequence.
struct MeterEvent: Sendable {
    let tenant: ID<Tenant>
    let id: UUID
    let startsAt: Date
    /// Nil means one login, which an earlier version may have sent under the login's ID.
    let sequence: Int?
    let logins: Int
    /// Stripe's IDs of the customer and the meter. While Stripe may have counted the event, they stay those of the first attempt.
    let customer, eventName: String
    let attempts: Int
    /// A time before the first request that Stripe may have counted.
    let sentAt: Date?
    let createdAt: Date
    /// The number of consecutive passes in which Stripe accepted no event of the customer.
    let customerFailures: Int

    init(_ row: Row) throws {
        tenant = try row.get("tenant_id")
        id = try row.get("id")
        startsAt = try row.get("starts_at")
        sequence = try row.get("sequence")
        logins = try row.get("logins")
        customer = try row.get("customer_id")
        eventName = try row.get("event_name")
        attempts = try row.get("attempts")
        sentAt = try row.get("sent_at")
        createdAt = try row.get("created_at")
        customerFailures = try row.get("failures")
    }

    /// Stripe counts an identifier once. It accepts up to 100 characters.
    var identifier: String { Self.identifier(tenant, id, startsAt, sequence) }

    static func identifier(_ tenant: ID<Tenant>, _ id: UUID, _ startsAt: Date, _ sequence: Int?) -> String {
        guard let sequence else { return ID<WaitingUsage.Login>(id).description }
        return "\(tenant)-\(Day.moment(startsAt).prefix(16))Z-\(sequence)"
    }

    /// The form of Stripe's `POST /v1/billing/meter_events`. Only `identifier` marks a repetition. With an `Idempotency-Key`, Stripe would
    /// repeat its first response for a day, even if that response was a failure at Stripe.
    var form: String {
        Form.encode([
            "event_name": eventName, "identifier": identifier, "timestamp": "\(Int(startsAt.timeIntervalSince1970.rounded(.down)))",
            "payload[stripe_customer_id]": customer, "payload[value]": "\(logins)",
        ])
    }

    // MARK: Due events

    /// For how long Stripe recognizes an identifier: at least 24 hours, minus the duration of an attempt.
    private static let memory: TimeInterval = 23 * 3600
    /// The maximum age of a timestamp that Stripe accepts: 35 days, minus the duration of an attempt.
    private static let largestAge: TimeInterval = 35 * 86400 - 3600

    /// The reason why an event is not sent again.
    enum SetAside: String, SQLValue {
        /// Stripe rejects it.
        case refused
        /// Stripe may have counted the event, but so long ago that it might count the event twice.
        case uncertain
        /// Stripe rejects a timestamp of more than 35 days ago. It reports that only after it has responded with 200.
        case tooOld = "too_old"
    }

    func setAside(at now: Date) -> SetAside? {
        let isTooOld = now.timeIntervalSince(startsAt) > Self.largestAge
        guard let sentAt else { return isTooOld ? .tooOld : nil }
        return isTooOld || now.timeIntervalSince(sentAt) > Self.memory ? .uncertain : nil
    }

    /// The events that can be sent now. The limit per tenant prevents one tenant with many events from delaying the others. Events that
    /// have failed come last for the same reason.
    /// - Parameter end: the end of the newest complete minute.
    static func due(_ sink: UsageSink, eventName: String, before end: Date, at now: Date) -> SQL {
        """
        SELECT e.tenant_id, e.id, e.starts_at, e.sequence, e.logins, e.attempts, e.sent_at, e.created_at, c.failures,
            CASE WHEN e.sent_at IS NULL THEN c.customer_id ELSE e.customer_id END AS customer_id,
            CASE WHEN e.sent_at IS NULL THEN \(eventName) ELSE e.event_name END AS event_name
        FROM usage_sink_customer c CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY attempts, starts_at, id) AS place FROM usage_meter_event
            WHERE tenant_id = c.tenant_id AND sink_id = \(sink.id) AND taken_at IS NULL AND refused_at IS NULL AND due_at <= \(now)
                AND starts_at <= \(end.addingTimeInterval(-60))
            ORDER BY attempts, starts_at, id LIMIT \(perTenant)) AS e
        WHERE c.customer_id IS NOT NULL AND c.resume_at <= \(now)
        ORDER BY e.place, e.starts_at, e.tenant_id LIMIT \(most)
        """
    }

    /// How many events of a tenant, and of all tenants, are sent in one pass.
    private static let (perTenant, most) = (100, 2000)

    /// Fixes the events before they are sent, and records that Stripe may have counted them from now on.
    static func fix(_ events: [MeterEvent], at now: Date) -> SQL {
        """
        UPDATE usage_meter_event SET fixed_at = COALESCE(fixed_at, \(now)), sent_at = COALESCE(sent_at, \(now)), customer_id = customer,
            event_name = name
        FROM unnest(\(events.map(\.tenant.uuid)), \(events.map(\.id)), \(events.map(\.customer)), \(events.map(\.eventName)))
            AS fixed (tenant, event, customer, name)
        WHERE tenant_id = tenant AND id = event AND taken_at IS NULL
        """
    }

    static func setAside(_ events: [MeterEvent], as reason: SetAside, at now: Date) -> SQL {
        """
        UPDATE usage_meter_event SET fixed_at = COALESCE(fixed_at, \(now)), refused_at = \(now), refused_reason = \(reason)
        FROM unnest(\(events.map(\.tenant.uuid)), \(events.map(\.id))) AS refused (tenant, event)
        WHERE tenant_id = tenant AND id = event AND taken_at IS NULL
        """
    }

    /// Removes logins of tenants that are not billed at Stripe. An event that Stripe may have counted stays for the operator to check.
    static func dropUnbilled(_ sink: UsageSink, at now: Date) -> [SQL] {
        [
            """
            DELETE FROM usage_meter_event e USING usage_sink_customer c
            WHERE e.tenant_id = c.tenant_id AND c.customer_id IS NULL AND e.sink_id = \(sink.id) AND e.sent_at IS NULL
            """,
            """
            UPDATE usage_meter_event e SET refused_at = \(now), refused_reason = \(SetAside.uncertain) FROM usage_sink_customer c
            WHERE e.tenant_id = c.tenant_id AND c.customer_id IS NULL AND e.sink_id = \(sink.id) AND e.sent_at IS NOT NULL
                AND e.taken_at IS NULL AND e.refused_at IS NULL
            """,
        ]
    }

    /// Whether logins wait for a customer of their tenant.
    static func lacksCustomer(_ sink: UsageSink, before end: Date) -> SQL {
        """
        SELECT EXISTS (SELECT FROM usage_meter_event e
            WHERE e.sink_id = \(sink.id) AND e.taken_at IS NULL AND e.refused_at IS NULL AND e.starts_at <= \(end.addingTimeInterval(-60))
                AND NOT EXISTS (SELECT FROM usage_sink_customer c WHERE c.tenant_id = e.tenant_id)) AS lacks
        """
    }

    // MARK: Retention

    /// How long a completed event stays: longer than Stripe accepts events of its minute, so that no identifier is used twice.
    private static let retention: TimeInterval = 36 * 86400

    /// Deletes the events of a former sink, and events older than the retention.
    static func forget(at now: Date, limit: Int) -> SQL {
        """
        DELETE FROM usage_meter_event WHERE (tenant_id, id) IN (
            SELECT e.tenant_id, e.id FROM usage_meter_event e LEFT JOIN usage_sink s ON s.tenant_id = \(UUID.platform) AND s.id = e.sink_id
            WHERE s.id IS NULL AND (e.sent_at IS NULL OR e.starts_at < \(now.addingTimeInterval(-retention)))
                OR e.taken_at IS NOT NULL AND e.starts_at < \(now.addingTimeInterval(-retention))
            LIMIT \(limit))
        """
    }
}
