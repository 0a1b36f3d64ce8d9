import Access
import Delivery
import Foundation
import Logging
import Outbox
import Postgres

/// Writes down what became of a batch, and decides what of it is set aside.
struct ConcludeDelivery: Sendable {
    let batch: UUID
    /// When it was handed to the sink.
    let came: Date
    let sink: UsageSink
    /// How often it was tried, this time included.
    let attempts: Int
    let logger: Logger

    /// From then on an event that is refused by itself counts as refused for good, also if it has none beside it.
    private static let patientAttempts = 5

    func run(
        _ sent: DeliverUsage.Sent, of events: [WaitingUsage], in database: PlatformDatabase, at now: Date
    ) async throws -> Outbox.Outcome {
        // When the receiver takes nothing at all, that is hardly the event's fault.
        let isForGood = sent.isTaking || attempts >= Self.patientAttempts && (sink.deliveredAt ?? .distantPast) > came
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
            // What there is, and not what this attempt began with: another process may have been at it, too.
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
            tell(events.map(\.id), status)
        }
        guard left > 0 else { return .done }
        // There was not time enough for all of them.
        guard let failure else { return .again(at: now) }
        logger.warning("usage was not taken by the sink", metadata: facts(failure, events: left))
        return .again(at: now.addingTimeInterval(Self.wait(after: attempts)))
    }

    /// Once for each: from now on nobody tries.
    /// - Parameter status: the HTTP status with which each of them was rejected individually.
    private func tell(_ ids: [UUID], _ status: Int) {
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

    /// Why the rest of a batch was not taken.
    private static func failure(_ sent: DeliverUsage.Sent, at now: Date) -> UsageSink.Failure? {
        switch sent.answer {
        case .status(let status): .init(at: now, status: status, error: nil)
        case .failure(let failure): .init(at: now, status: nil, error: failure.rawValue)
        // Nothing was refused: there was not time enough.
        case nil: nil
        }
    }

    /// How long to wait after so many attempts, in seconds: doubled each time, and half of it by chance.
    static func wait(after attempts: Int) -> TimeInterval {
        min(5 * TimeInterval(1 << min(max(attempts - 1, 0), 10)), 900) * Double.random(in: 0.5...1)
    }
}
