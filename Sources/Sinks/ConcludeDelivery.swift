import Access
import Delivery
import Foundation
import Logging
import Outbox
import Postgres

/// Records the result of a batch, and decides which events are set aside.
struct ConcludeDelivery: Sendable {
    let batch: UUID
    /// When the batch was created.
    let batchCreatedAt: Date
    let sink: UsageSink
    /// The number of attempts, including this one.
    let attempts: Int
    let logger: Logger

    /// From this attempt on, an event that is rejected individually is set aside, even if no other event was accepted with it.
    private static let patientAttempts = 5

    func run(
        _ sent: DeliverUsage.Sent, of events: [WaitingUsage], in database: PlatformDatabase, at now: Date
    ) async throws -> Outbox.Outcome {
        // If the receiver accepts nothing at all, the event is probably not the cause.
        let isForGood = sent.isTaking || attempts >= Self.patientAttempts && (sink.deliveredAt ?? .distantPast) > batchCreatedAt
        let refused = isForGood ? sent.refused : []
        let left = events.count - sent.taken.count - refused.count
        let failure = left == 0 && refused.isEmpty ? nil : Self.failure(sent, at: now)
        var statements: [SQL] = [
            "DELETE FROM usage_sink_event WHERE batch_id = \(batch) AND id = ANY(\(sent.taken))",
            """
            UPDATE usage_sink_event SET refused_at = \(now), refused_status = status
            FROM unnest(\(refused.map(\.id)), \(refused.map(\.status))) AS refused (login, status)
            WHERE batch_id = \(batch) AND id = login
            """,
            // Counts the stored events, not those at the start of this attempt, because another process may have sent some since then.
            """
            UPDATE usage_sink_batch SET events = (SELECT count(*) FROM usage_sink_event WHERE batch_id = \(batch) AND refused_at IS NULL)
            WHERE tenant_id = \(UUID.platform) AND id = \(batch)
            """,
            """
            DELETE FROM usage_sink_batch WHERE tenant_id = \(UUID.platform) AND id = \(batch)
                AND NOT EXISTS (SELECT FROM usage_sink_event WHERE batch_id = \(batch))
            """,
        ]
        if sent.isTaking {
            statements.append(
                """
                UPDATE usage_sink SET delivered_at = GREATEST(delivered_at, \(now)) WHERE tenant_id = \(UUID.platform) AND id = \(sink.id)
                """)
        }
        if let failure {
            statements.append(
                """
                UPDATE usage_sink SET failed_at = \(failure.at), failure_status = \(failure.status)::integer, failure = \(failure.error)
                WHERE tenant_id = \(UUID.platform) AND id = \(sink.id) AND (failed_at IS NULL OR failed_at <= \(failure.at))
                """)
        }
        _ = try await database.run(statements)
        for (status, events) in Dictionary(grouping: refused, by: \.status).sorted(by: { $0.key < $1.key }) {
            logSetAside(events.map(\.id), status)
        }
        guard left > 0 else { return .done }
        // The time was too short for all events.
        guard let failure else { return .again(at: now) }
        logger.warning("sink did not accept usage", metadata: facts(failure, events: left))
        return .again(at: now.addingTimeInterval(Self.wait(after: attempts)))
    }

    /// Logs the events once, because they are not sent again.
    /// - Parameter status: the HTTP status with which each of them was rejected individually.
    private func logSetAside(_ ids: [UUID], _ status: Int) {
        let logins = ids.prefix(20).map { ID<WaitingUsage.Login>($0).description }.joined(separator: " ")
        logger.error(
            "sink rejected usage events; events set aside",
            metadata: [
                "batch": "\(batch)", "events": "\(ids.count)", "attempts": "\(attempts)", "status": "\(status)", "logins": "\(logins)",
            ])
    }

    private func facts(_ failure: UsageSink.Failure, events: Int) -> Logger.Metadata {
        [
            "batch": "\(batch)", "events": "\(events)", "attempts": "\(attempts)", "status": "\(failure.status.map(String.init) ?? "-")",
            "cause": "\(failure.error ?? "-")",
        ]
    }

    /// The reason why the rest of a batch was not accepted.
    private static func failure(_ sent: DeliverUsage.Sent, at now: Date) -> UsageSink.Failure? {
        switch sent.answer {
        case .status(let status): .init(at: now, status: status, error: nil)
        case .failure(let failure): .init(at: now, status: nil, error: failure.rawValue)
        // Nothing was rejected. The time was too short.
        case nil: nil
        }
    }

    /// The wait after this number of attempts, in seconds. It doubles each time, and half of it is random.
    static func wait(after attempts: Int) -> TimeInterval {
        min(5 * TimeInterval(1 << min(max(attempts - 1, 0), 10)), 900) * Double.random(in: 0.5...1)
    }
}
