import Access
import Foundation
import Postgres
import Sealing

/// Where the platform's usage is pushed to.
struct UsageSink: Identified, Sendable {
    static let idPrefix = "usagesink"

    enum Format: String, Codable, CaseIterable, SQLValue {
        /// Batches of CloudEvents, as OpenMeter's ingestion takes them.
        case cloudevents
        /// Stripe's meter events.
        case stripe
    }

    enum Status: String, Codable, CaseIterable, SQLValue {
        case enabled
        /// What comes waits.
        case paused
    }

    /// Why something was not taken the last time.
    struct Failure: Encodable, Equatable {
        let at: Date
        /// What HTTP said, if there was an answer.
        let status: Int?
        /// Why there was none, or that nothing could be asked.
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
    /// When the comparison with Stripe succeeded last, and when and why it did not.
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

    /// As `find`; nobody else changes it until the transaction's end.
    static let lock: SQL = """
        SELECT id, format, url, event_name, sealed_secret, status, delivered_at, failed_at, failure_status, failure, compared_at,
            compare_failed_at, compare_status, compare_failure, created_at, updated_at
        FROM usage_sink WHERE tenant_id = \(UUID.platform) FOR UPDATE
        """

    // MARK: The secret

    static func seal(_ secret: Secret, of id: ID<UsageSink>, keyring: Keyring) -> [UInt8] {
        keyring.seal(secret.revealBytes(), in: context(id)).bytes
    }

    /// - Throws: `SealingError`.
    func secret(_ keyring: Keyring) throws -> Secret? {
        guard let sealedSecret else { return nil }
        return Secret(bytes: try keyring.open(Sealed(bytes: sealedSecret), in: Self.context(id)))
    }

    static func context(_ id: ID<UsageSink>) -> SealingContext {
        SealingContext(tenant: .platform, table: "usage_sink", column: "sealed_secret", row: id.description)
    }

    // MARK: What waits

    /// What is not taken yet.
    struct Waiting: Encodable {
        let events: Int
        let since: Date?
    }

    /// What was set aside.
    struct Refused: Encodable {
        let events: Int
        /// Those among them that may have been counted.
        let uncertain: Int
        let since: Date?
    }

    /// How what was sent to Stripe compares with what its meter has counted.
    struct Comparison: Encodable {
        /// Logins that were taken and are not compared yet, or differ.
        let unconfirmed: Int
        /// Hours of customers.
        let differences: Int
        let last_compared_at: Date?
        let last_failure: Failure?
    }

    /// Whether the event `e` is for the sink that there is. Events of a deleted sink remain until a worker deletes them.
    static let isOfSink: StaticString = """
        EXISTS (SELECT FROM usage_sink s JOIN usage_sink_batch b ON b.tenant_id = s.tenant_id AND b.sink_id = s.id WHERE b.id = e.batch_id)
        """

    /// Waiting and set aside events of all tenants: only the platform sees them. A meter event counts as many as it has logins.
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

    /// Lets what was set aside wait again.
    /// - Parameter tenant: only of this one, and not what may have been counted.
    static func takeBack(of tenant: ID<Tenant>? = nil) -> [SQL] {
        [
            """
            WITH again AS (
                UPDATE usage_sink_event SET refused_at = NULL, refused_status = NULL, uncertain_since = NULL
                WHERE refused_at IS NOT NULL AND (\(tenant) IS NULL OR tenant_id = \(tenant) AND refused_status IS NOT NULL)
                RETURNING batch_id)
            UPDATE usage_sink_batch SET events = events + counted
            FROM (SELECT batch_id, count(*) AS counted FROM again GROUP BY batch_id) AS again
            WHERE tenant_id = \(UUID.platform) AND id = batch_id
            """,
            """
            UPDATE usage_meter_event SET refused_at = NULL, refused_reason = NULL, refused_status = NULL, sent_at = NULL, attempts = 0,
                due_at = '-infinity'
            WHERE refused_at IS NOT NULL AND (\(tenant) IS NULL OR tenant_id = \(tenant) AND sent_at IS NULL)
            """,
        ]
    }

    /// Makes all that waits due. A process that sends a batch at this moment no longer concludes it: the batch has another number of
    /// attempts then. The process that sends meter events keeps its lease, so that a customer still has one call under way at most.
    static func wake(at now: Date) -> [SQL] {
        [
            """
            INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
            SELECT tenant_id, id, \(DeliverUsage.outboxKind), id, \(now), \(now) FROM usage_sink_batch WHERE tenant_id = \(UUID.platform)
            ON CONFLICT (tenant_id, id) DO UPDATE SET due_at = excluded.due_at, attempts = outbox.attempts + 1
            """,
            "UPDATE usage_sink SET failures = 0, resume_at = '-infinity', compare_at = '-infinity' WHERE tenant_id = \(UUID.platform)",
            "UPDATE usage_sink_customer SET failures = 0, resume_at = '-infinity' WHERE resume_at > \(now)",
            "UPDATE usage_sink_difference SET check_at = '-infinity' WHERE tenant_id = \(UUID.platform)",
            """
            UPDATE usage_meter_event SET due_at = '-infinity'
            WHERE taken_at IS NULL AND refused_at IS NULL AND due_at > \(now)
            """,
        ]
    }

    /// What callers see.
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

    /// Without what changes by itself, for the audit trail.
    var settings: Reply {
        Reply(
            id: id, format: format, url: url, event_name: eventName, has_secret: sealedSecret != nil, status: status,
            created_at: createdAt, updated_at: updatedAt)
    }

    /// - Parameter waiting: the answer to the statement of that name.
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
