import Access
import Foundation
import Ledger
import Logging
import Postgres
import Sealing

/// Compares the logins that Stripe has accepted with the logins that its meter has counted, per customer and hour.
///
/// Stripe responds with 200 to a meter event and processes it later. If Stripe rejects the event then, for example because the customer no
/// longer exists, the response does not show it. The meter's sums show it. Without this comparison, such logins would be lost silently.
struct CompareMeter: Sendable {
    let database: PlatformDatabase
    let keyring: Keyring
    let allowsPrivate: Bool
    let logger: Logger
    var timeout = Duration.seconds(15)
    /// For how long a pass starts requests.
    var patience = Duration.seconds(60)

    /// How long Stripe may take to count, and how long a known difference waits for its next check, in seconds.
    private static let delay: TimeInterval = 3600
    /// How long other processes wait for a pass, in seconds.
    private static let lease: TimeInterval = 120
    private static let most = 500

    /// The logins of a customer in one hour.
    private struct Hour {
        let customer: String
        let startsAt: Date
        let tenants: [UUID]
        let sent: Int
        /// The numbers of an already recorded difference.
        let knownSent, knownCounted: Int?

        init(_ row: Row) throws {
            customer = try row.get("customer_id")
            startsAt = try row.get("hour")
            tenants = try row.get("tenants")
            sent = try row.get("sent")
            knownSent = try row.get("known_sent")
            knownCounted = try row.get("known_counted")
        }

        var endsAt: Date { startsAt.addingTimeInterval(3600) }
    }

    /// Compares the due hours once.
    /// - Returns: the number of compared hours.
    @discardableResult
    func pass(at now: Date) async throws -> Int {
        let (taken, sinks) = try await database.run(Self.take(at: now), UsageSink.find)
        guard taken.count > 0, let sink = try sinks.first(UsageSink.init), let name = sink.eventName else { return 0 }
        let hours = try await database.run(Self.due(sink, name, at: now)).map(Hour.init)
        guard !hours.isEmpty else { return 0 }
        let stripe = Stripe(url: sink.url, secret: try sink.secret(keyring), allowsPrivate: allowsPrivate, timeout: timeout)
        let deadline = ContinuousClock.now + patience
        var compared = 0
        do {
            let meter = try await stripe.meter(named: name)
            for hour in hours where ContinuousClock.now < deadline {
                let counted = try await stripe.counted(of: hour.customer, by: meter, from: hour.startsAt, to: hour.endsAt)
                try await record(hour, counted, name, in: database, at: now)
                compared += 1
            }
            _ = try await database.run(
                """
                UPDATE usage_sink SET compared_at = \(now), compare_failed_at = NULL, compare_status = NULL, compare_failure = NULL
                WHERE tenant_id = \(UUID.platform) AND id = \(sink.id)
                """)
        } catch let failure as Stripe.Failure {
            logger.error(
                "cannot compare usage with Stripe",
                metadata: [
                    "hours": "\(hours.count - compared)", "status": "\(failure.status.map(String.init) ?? "-")",
                    "cause": "\(failure.reason ?? "-")",
                ])
            _ = try await database.run(
                """
                UPDATE usage_sink SET compare_failed_at = \(now), compare_status = \(failure.status)::integer,
                    compare_failure = \(failure.reason), compare_at = \(now.addingTimeInterval(900))
                WHERE tenant_id = \(UUID.platform) AND id = \(sink.id)
                """)
        }
        return compared
    }

    private static func take(at now: Date) -> SQL {
        """
        UPDATE usage_sink SET compare_at = \(now.addingTimeInterval(lease))
        WHERE tenant_id = \(UUID.platform) AND format = \(UsageSink.Format.stripe) AND compare_at <= \(now)
        RETURNING id
        """
    }

    /// The hours without requests in progress, with the logins that were accepted under any sink. A new sink for the same meter continues
    /// where the former one ended.
    private static func due(_ sink: UsageSink, _ name: String, at now: Date) -> SQL {
        """
        SELECT hours.customer_id, hours.hour, sums.tenants, sums.sent, d.sent AS known_sent, d.counted AS known_counted
        FROM (
            SELECT DISTINCT e.customer_id, date_trunc('hour', e.starts_at, 'UTC') AS hour
            FROM usage_meter_event e JOIN usage_sink s ON s.tenant_id = \(UUID.platform) AND s.id = e.sink_id
            WHERE e.confirmed_at IS NULL AND e.sent_at IS NOT NULL AND e.sink_id = \(sink.id) AND e.event_name = \(name)
                AND date_trunc('hour', e.starts_at, 'UTC') >= s.compares_from) AS hours
        LEFT JOIN usage_sink_difference d
            ON d.tenant_id = \(UUID.platform) AND d.customer_id = hours.customer_id AND d.starts_at = hours.hour
        CROSS JOIN LATERAL (
            SELECT COALESCE(sum(e.logins) FILTER (WHERE e.taken_at IS NOT NULL), 0)::bigint AS sent, array_agg(DISTINCT e.tenant_id) AS tenants,
                bool_and(COALESCE(COALESCE(e.taken_at, e.refused_at) <= \(now.addingTimeInterval(-delay)), false)) AS is_settled
            FROM usage_meter_event e
            WHERE e.customer_id = hours.customer_id AND e.event_name = \(name) AND e.sent_at IS NOT NULL
                AND e.starts_at >= hours.hour AND e.starts_at < hours.hour + interval '1 hour') AS sums
        WHERE sums.is_settled AND (d.check_at IS NULL OR d.check_at <= \(now))
        ORDER BY d.check_at NULLS FIRST, hours.hour LIMIT \(most)
        """
    }

    private func record(_ hour: Hour, _ counted: Int, _ name: String, in database: PlatformDatabase, at now: Date) async throws {
        if counted == hour.sent {
            _ = try await database.run([
                """
                UPDATE usage_meter_event SET confirmed_at = \(now)
                WHERE customer_id = \(hour.customer) AND event_name = \(name) AND sent_at IS NOT NULL AND confirmed_at IS NULL
                    AND starts_at >= \(hour.startsAt) AND starts_at < \(hour.endsAt)
                    AND COALESCE(taken_at, refused_at) <= \(now.addingTimeInterval(-Self.delay))
                """,
                """
                DELETE FROM usage_sink_difference
                WHERE tenant_id = \(UUID.platform) AND customer_id = \(hour.customer) AND starts_at = \(hour.startsAt)
                """,
            ])
            return
        }
        _ = try await database.run(
            """
            INSERT INTO usage_sink_difference
                (tenant_id, id, customer_id, starts_at, tenants, sent, counted, found_at, checked_at, check_at)
            VALUES (\(UUID.platform), \(ID<UsageSinkDifference>(at: now)), \(hour.customer), \(hour.startsAt), \(hour.tenants), \(hour.sent),
                \(counted), \(now), \(now), \(now.addingTimeInterval(Self.delay)))
            ON CONFLICT (tenant_id, customer_id, starts_at) DO UPDATE SET tenants = excluded.tenants, sent = excluded.sent,
                counted = excluded.counted, checked_at = excluded.checked_at, check_at = excluded.check_at
            """)
        // Logs each difference once, not every hour.
        guard hour.knownSent != hour.sent || hour.knownCounted != counted else { return }
        logger.error(
            "Stripe's meter differs from the sent logins",
            metadata: [
                "customer": "\(hour.customer)", "tenants": "\(hour.tenants.map { ID<Tenant>($0).description }.joined(separator: " "))",
                "hour": "\(Day.moment(hour.startsAt))", "sent": "\(hour.sent)", "counted": "\(counted)",
            ])
    }
}
