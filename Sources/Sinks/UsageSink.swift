import Access
import Foundation
import Outbox
import Postgres
import Sealing

/// The destination that receives the platform's usage.
struct UsageSink: Identified, Sendable {
    static let idPrefix = "usagesink"

    enum Format: String, Codable, CaseIterable, SQLValue {
        /// Batches of CloudEvents, as OpenMeter's ingestion accepts them.
        case cloudevents
        /// Stripe's meter events.
        case stripe
    }

    enum Status: String, Codable, CaseIterable, SQLValue {
        case enabled
        /// New usage waits.
        case paused
    }

    /// The last failure of the sink.
    struct Failure: Encodable, Equatable {
        let at: Date
        /// The HTTP status, if there was a response.
        let status: Int?
        /// The reason for a missing response or a request that was not sent.
        let error: String?
    }

    let id: ID<UsageSink>
    let format: Format
    let url: String
    let eventName: String?
    let sealedSecret: [UInt8]?
    let status: Status
    let deliveredAt: Date?
    let failure: Failure?
    /// The time of the last successful comparison with Stripe, then the time and reason of the last failure.
    let comparedAt: Date?
    let compareFailure: Failure?
    let createdAt, updatedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        format = try row.get("format")
        url = try row.get("url")
        eventName = try row.get("event_name")
        sealedSecret = try row.get("sealed_secret")
        status = try row.get("status")
        deliveredAt = try row.get("delivered_at")
        failure = try row.get("failed_at", as: Date?.self).map { at in
            Failure(at: at, status: try row.get("failure_status"), error: try row.get("failure"))
        }
        comparedAt = try row.get("compared_at")
        compareFailure = try row.get("compare_failed_at", as: Date?.self).map { at in
            Failure(at: at, status: try row.get("compare_status"), error: try row.get("compare_failure"))
        }
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static let find: SQL = """
        SELECT id, format, url, event_name, sealed_secret, status, delivered_at, failed_at, failure_status, failure, compared_at,
            compare_failed_at, compare_status, compare_failure, created_at, updated_at
        FROM usage_sink WHERE tenant_id = \(UUID.platform)
        """

    /// Like `find`, and locks the row until the end of the transaction.
    static let lock: SQL = """
        SELECT id, format, url, event_name, sealed_secret, status, delivered_at, failed_at, failure_status, failure, compared_at,
            compare_failed_at, compare_status, compare_failure, created_at, updated_at
        FROM usage_sink WHERE tenant_id = \(UUID.platform) FOR UPDATE
        """

    // MARK: The secret

    static func seal(_ secret: Secret, of id: ID<UsageSink>, keyring: Keyring) -> [UInt8] {
        keyring.seal(secret.revealBytes(), in: context(id)).bytes
    }

    /// Opens the sealed secret.
    /// - Throws: `SealingError`.
    func secret(_ keyring: Keyring) throws -> Secret? {
        guard let sealedSecret else { return nil }
        return Secret(bytes: try keyring.open(Sealed(bytes: sealedSecret), in: Self.context(id)))
    }

    static func context(_ id: ID<UsageSink>) -> SealingContext {
        SealingContext(tenant: .platform, table: "usage_sink", column: "sealed_secret", row: id.description)
    }

    // MARK: Waiting events

    /// The events that are not accepted yet.
    struct Waiting: Encodable {
        let events: Int
        let since: Date?
    }

    /// The events that were set aside.
    struct Refused: Encodable {
        let events: Int
        /// The number of these that may have been counted.
        let uncertain: Int
        let since: Date?
    }

    /// The comparison of the sent logins with those that Stripe's meter has counted.
    struct Comparison: Encodable {
        /// Logins that were accepted, and are not compared yet or differ.
        let unconfirmed: Int
        /// The number of hours of customers that differ.
        let differences: Int
        let last_compared_at: Date?
        let last_failure: Failure?
    }

    /// Whether the event `e` is for the current sink. Events of a deleted sink remain until a worker deletes them.
    static let isOfSink: StaticString = """
        EXISTS (SELECT FROM usage_sink s JOIN usage_sink_batch b ON b.tenant_id = s.tenant_id AND b.sink_id = s.id WHERE b.id = e.batch_id)
        """

    /// The waiting events and those set aside, of all tenants. Only the platform sees them. A meter event counts as its number of logins.
    static let waiting: SQL = """
        SELECT waiting.events + meter.events AS events, LEAST(waiting.since, meter.since) AS since,
            refused.events + meter.refused AS refused, refused.uncertain + meter.uncertain AS uncertain,
            LEAST(refused.since, meter.refused_since) AS refused_since, sent.unconfirmed,
            (SELECT count(*) FROM usage_sink_difference WHERE tenant_id = \(UUID.platform)) AS differences
        FROM (
            SELECT COALESCE(sum(events), 0)::bigint AS events, min(created_at) FILTER (WHERE events > 0) AS since
            FROM usage_sink_batch
            WHERE tenant_id = \(UUID.platform) AND sink_id = (SELECT id FROM usage_sink WHERE tenant_id = \(UUID.platform))) AS waiting
        CROSS JOIN (
            SELECT count(*) AS events, count(*) FILTER (WHERE refused_status IS NULL) AS uncertain, min(refused_at) AS since
            FROM usage_sink_event e WHERE refused_at IS NOT NULL AND \(literally: isOfSink)) AS refused
        CROSS JOIN (
            SELECT COALESCE(sum(logins) FILTER (WHERE refused_at IS NULL), 0)::bigint AS events,
                min(created_at) FILTER (WHERE refused_at IS NULL) AS since,
                COALESCE(sum(logins) FILTER (WHERE refused_at IS NOT NULL), 0)::bigint AS refused,
                COALESCE(sum(logins) FILTER (WHERE refused_reason = 'uncertain'), 0)::bigint AS uncertain,
                min(refused_at) AS refused_since
            FROM usage_meter_event
            WHERE sink_id = (SELECT id FROM usage_sink WHERE tenant_id = \(UUID.platform)) AND taken_at IS NULL) AS meter
        CROSS JOIN (
            SELECT COALESCE(sum(logins), 0)::bigint AS unconfirmed FROM usage_meter_event e JOIN usage_sink s ON s.id = e.sink_id
            WHERE s.tenant_id = \(UUID.platform) AND e.confirmed_at IS NULL AND e.sent_at IS NOT NULL AND e.taken_at IS NOT NULL
                AND e.starts_at >= s.compares_from) AS sent
        """

    /// Makes all events that were set aside wait again.
    static func takeBackAll() -> [SQL] {
        takeBack(logins: "true", meterEvents: "true")
    }

    /// Makes a tenant's events that were set aside wait again, except those that may have been counted.
    static func takeBack(of tenant: ID<Tenant>) -> [SQL] {
        takeBack(
            logins: "tenant_id = \(tenant) AND refused_status IS NOT NULL", meterEvents: "tenant_id = \(tenant) AND sent_at IS NULL")
    }

    private static func takeBack(logins: SQL, meterEvents: SQL) -> [SQL] {
        [
            """
            WITH again AS (
                UPDATE usage_sink_event SET refused_at = NULL, refused_status = NULL, uncertain_since = NULL
                WHERE refused_at IS NOT NULL AND \(part: logins)
                RETURNING batch_id)
            UPDATE usage_sink_batch SET events = events + counted
            FROM (SELECT batch_id, count(*) AS counted FROM again GROUP BY batch_id) AS again
            WHERE tenant_id = \(UUID.platform) AND id = batch_id
            """,
            """
            UPDATE usage_meter_event SET refused_at = NULL, refused_reason = NULL, refused_status = NULL, sent_at = NULL, attempts = 0,
                due_at = '-infinity'
            WHERE refused_at IS NOT NULL AND \(part: meterEvents)
            """,
        ]
    }

    /// Makes all waiting events due. A process that sends a batch at this moment no longer concludes it, because the batch then has another
    /// number of attempts. The process that sends meter events retains its lease, so a customer still has at most one call in progress.
    static func wake(at now: Date) -> [SQL] {
        [
            Outbox.wake(
                DeliverUsage.outboxKind, source: "SELECT tenant_id, id FROM usage_sink_batch WHERE tenant_id = \(UUID.platform)", at: now),
            "UPDATE usage_sink SET failures = 0, resume_at = '-infinity', compare_at = '-infinity' WHERE tenant_id = \(UUID.platform)",
            "UPDATE usage_sink_customer SET failures = 0, resume_at = '-infinity' WHERE resume_at > \(now)",
            "UPDATE usage_sink_difference SET check_at = '-infinity' WHERE tenant_id = \(UUID.platform)",
            """
            UPDATE usage_meter_event SET due_at = '-infinity'
            WHERE taken_at IS NULL AND refused_at IS NULL AND due_at > \(now)
            """,
        ]
    }

    /// The response to callers.
    struct Reply: Encodable {
        let id: ID<UsageSink>
        let object = "usage_sink"
        let format: Format
        let url: String
        let event_name: String?
        let has_secret: Bool
        let status: Status
        /// Not in the audit trail.
        var waiting: Waiting?
        var refused: Refused?
        var last_delivered_at: Date?
        var last_failure: Failure?
        var comparison: Comparison?
        let created_at, updated_at: Date
    }

    /// The reply for the audit trail, without values that change automatically.
    var settings: Reply {
        Reply(
            id: id, format: format, url: url, event_name: eventName, has_secret: sealedSecret != nil, status: status,
            created_at: createdAt, updated_at: updatedAt)
    }

    /// - Parameter waiting: the result of the statement `waiting`.
    func reply(_ waiting: Rows) throws -> Reply {
        var reply = settings
        reply.waiting = try waiting.first { Waiting(events: try $0.get("events"), since: try $0.get("since")) }
        reply.refused = try waiting.first {
            Refused(events: try $0.get("refused"), uncertain: try $0.get("uncertain"), since: try $0.get("refused_since"))
        }
        (reply.last_delivered_at, reply.last_failure) = (deliveredAt, failure)
        if format == .stripe {
            reply.comparison = try waiting.first {
                Comparison(
                    unconfirmed: try $0.get("unconfirmed"), differences: try $0.get("differences"), last_compared_at: comparedAt,
                    last_failure: compareFailure)
            }
        }
        return reply
    }
}
