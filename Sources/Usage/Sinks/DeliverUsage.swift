import Foundation
import Logging
import Outbox
import Postgres
import Sealing
import Tenancy

/// Sends a batch of events to the sink: the outbox's handler for its kind.
///
/// What the receiver has taken is removed, and the rest tried again, after 5 seconds at first and every quarter of an hour at last, for as
/// long as there is a sink. So each event arrives at least once; the login's id goes along, and by it the receiver counts once.
///
/// One process sends few batches at a time, since the outbox gives one owner few rows (`OutboxWorker.Configuration.share`): a sink that
/// does not answer holds up no webhook.
struct DeliverUsage: Sendable {
    static let outboxKind = "usage_sink"

    let pool: DatabasePool
    let keyring: Keyring
    /// Whether it may go into private networks and do without TLS: for development.
    let allowsPrivate: Bool
    let logger: Logger
    /// For the name, the connection and the answer of one request together.
    var timeout = Duration.seconds(15)
    /// How long requests of one batch are begun: with the timeout of the last ones, well below the outbox's lease.
    var patience = Duration.seconds(45)

    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`: all of it is still to be sent.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = PlatformDatabase(pool)
        let batch = entry.subject
        let answers = try await database.run([UsageSink.find, Self.sink(of: batch), WaitingUsage.all(of: batch)])
        let events = try answers[2].map(WaitingUsage.init)
        // Its sink is gone, or another one's there now; or its events went with their tenants.
        guard let sink = try answers[0].first(UsageSink.init), try answers[1].first({ try $0.get("sink_id") }) == sink.id, !events.isEmpty
        else {
            _ = try await database.run(Self.forget(batch))
            return .done
        }
        // It is woken when the sink goes on.
        guard sink.status == .enabled else { return .done }

        let started = ContinuousClock.now
        let sent = try await send(events, to: sink)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        return try await conclude(batch, of: sink, sent, left: events.count - sent.taken.count, entry.attempts, in: database, at: ended)
    }

    /// What became of the events of a batch.
    struct Sent: Sendable {
        /// Those that need not be sent any more.
        var taken: [UUID] = []
        var answer: OutgoingRequest.Answer?
        /// Some could not be sent, since nobody has said what Stripe calls their tenant.
        var lacksCustomer = false
    }

    private func send(_ events: [WaitingUsage], to sink: UsageSink) async throws -> Sent {
        let secret = try sink.secret(keyring)
        switch (sink.format, sink.eventName) {
        case (.stripe, let name?): return try await sendMeterEvents(events, named: name, to: sink.url, secret)
        case (.cloudevents, _), (.stripe, nil): return try await sendCloudEvents(events, to: sink.url, secret)
        }
    }

    func ask(
        _ url: String, _ secret: Secret?, _ type: String, _ body: [UInt8]
    ) async throws -> (answer: OutgoingRequest.Answer, refusal: [UInt8]) {
        try await OutgoingRequest(
            url: url, headers: [("content-type", type)] + (secret.map { [("authorization", "Bearer \($0.reveal())")] } ?? []), body: body,
            allowsPrivate: allowsPrivate
        ).ask(within: timeout, readingRefusal: 8192)
    }

    /// Byte by byte the same at each attempt.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    /// All in one request (CloudEvents' HTTP binding, "Batched Content Mode"; OpenMeter's `POST /api/v1/events`).
    private func sendCloudEvents(_ events: [WaitingUsage], to url: String, _ secret: Secret?) async throws -> Sent {
        let body = Array(try Self.encoder.encode(events.map(\.cloudEvent)))
        let (answer, _) = try await ask(url, secret, "application/cloudevents-batch+json", body)
        guard case .status(200..<300) = answer else { return Sent(answer: answer) }
        return Sent(taken: events.map(\.id))
    }

    // MARK: Before and after

    private static func sink(of batch: UUID) -> SQL {
        "SELECT sink_id FROM usage_sink_batch WHERE tenant_id = \(UUID.platform) AND id = \(batch)"
    }

    private static func forget(_ batch: UUID) -> [SQL] {
        [
            "DELETE FROM usage_sink_event WHERE batch_id = \(batch)",
            "DELETE FROM usage_sink_batch WHERE tenant_id = \(UUID.platform) AND id = \(batch)",
        ]
    }

    private func conclude(
        _ batch: UUID, of sink: UsageSink, _ sent: Sent, left: Int, _ attempts: Int, in database: PlatformDatabase, at now: Date
    ) async throws -> Outbox.Outcome {
        var statements: [SQL] = []
        if left == 0 {
            statements += Self.forget(batch)
        } else {
            statements += [
                "DELETE FROM usage_sink_event WHERE batch_id = \(batch) AND id = ANY(\(sent.taken))",
                "UPDATE usage_sink_batch SET events = \(left) WHERE tenant_id = \(UUID.platform) AND id = \(batch)",
            ]
        }
        let failure = left == 0 ? nil : Self.failure(sent, at: now)
        if !sent.taken.isEmpty {
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
        guard left > 0 else { return .done }
        // There was not time enough for all of them.
        guard let failure else { return .again(at: now) }
        logger.warning(
            "usage was not taken by the sink",
            metadata: [
                "batch": "\(batch)", "events": "\(left)", "attempts": "\(attempts)", "status": "\(failure.status.map(String.init) ?? "-")",
                "cause": "\(failure.error ?? "-")",
            ])
        return .again(at: now.addingTimeInterval(Self.wait(after: attempts)))
    }

    /// Why the rest of a batch was not taken.
    private static func failure(_ sent: Sent, at now: Date) -> UsageSink.Failure? {
        switch sent.answer {
        case .status(let status): .init(at: now, status: status, error: nil)
        case .failure(let failure): .init(at: now, status: nil, error: failure.rawValue)
        // Nothing was refused: there was not time enough, or somebody's name is missing.
        case nil: sent.lacksCustomer ? .init(at: now, status: nil, error: "no_customer") : nil
        }
    }

    /// How long to wait after so many attempts, in seconds: doubled each time, and half of it by chance.
    static func wait(after attempts: Int) -> TimeInterval {
        min(5 * TimeInterval(1 << min(max(attempts - 1, 0), 10)), 900) * Double.random(in: 0.5...1)
    }
}
