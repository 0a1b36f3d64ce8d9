import Access
import Delivery
import Foundation
import Logging
import Outbox
import Postgres
import Sealing

/// Sends a batch of CloudEvents to the sink: the outbox's handler for its kind. Stripe gets meter events instead (`SendMeterEvents`).
///
/// What the receiver has taken is removed, and the rest tried again, after 5 seconds at first and every quarter of an hour at last, for as
/// long as there is a sink. So each event arrives at least once; the login's id goes along, and by it the receiver counts once.
///
/// An event that is refused individually while others are taken is set aside (`ConcludeDelivery`), so that it holds up nothing and is not
/// sent again and again.
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
        let answers = try await database.run([UsageSink.find, Self.find(batch), WaitingUsage.all(of: batch)])
        let events = try answers[2].map(WaitingUsage.init)
        // Its sink is gone, or another one's there now.
        guard let sink = try answers[0].first(UsageSink.init), try answers[1].first({ try $0.get("sink_id") }) == sink.id else {
            _ = try await database.run(Self.forget(batch))
            return .done
        }
        let conclusion = ConcludeDelivery(
            batch: batch, came: try answers[1][0].get("created_at"), sink: sink, attempts: entry.attempts, logger: logger)
        // All of it was taken, or set aside: in the latter case it is woken with what is let wait again.
        guard !events.isEmpty else { return try await conclusion.run(.init(), of: [], in: database, at: now) }
        // It is woken when the sink goes on.
        guard sink.status == .enabled else { return .done }

        let started = ContinuousClock.now
        let sent = try await send(events, to: sink)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        return try await conclusion.run(sent, of: events, in: database, at: ended)
    }

    /// What became of the events of a batch.
    struct Sent: Sendable {
        /// Those that need not be sent any more.
        var taken: [UUID] = []
        /// What was refused by itself, and with which status.
        var refused: [(id: UUID, status: Int)] = []
        /// Whether the receiver has taken anything.
        var isTaking = false
        var answer: OutgoingRequest.Answer?
    }

    private func send(_ events: [WaitingUsage], to sink: UsageSink) async throws -> Sent {
        try await sendCloudEvents(events, to: sink.url, sink.secret(keyring))
    }

    func ask(_ url: String, _ secret: Secret?, _ type: String, _ body: [UInt8]) async throws -> OutgoingRequest.Outcome {
        try await OutgoingRequest(
            url: url, headers: [("content-type", type)] + (secret.map { [("authorization", "Bearer \($0.reveal())")] } ?? []), body: body,
            allowsPrivate: allowsPrivate
        ).ask(within: timeout, reading: 0, of: 400..<500)
    }

    /// The statuses that are about what was sent. All others are about the sink, or pass: an address that is wrong (404), a key that is not
    /// valid (401, 403), too much at once (408, 425, 429), and what is the receiver's own fault (500 to 599).
    static let refusals: Set = [400, 409, 413, 422]

    private static func find(_ batch: UUID) -> SQL {
        "SELECT sink_id, created_at FROM usage_sink_batch WHERE tenant_id = \(UUID.platform) AND id = \(batch)"
    }

    private static func forget(_ batch: UUID) -> [SQL] {
        [
            "DELETE FROM usage_sink_event WHERE batch_id = \(batch)",
            "DELETE FROM usage_sink_batch WHERE tenant_id = \(UUID.platform) AND id = \(batch)",
        ]
    }
}
