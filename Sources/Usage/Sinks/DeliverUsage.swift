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
/// What the receiver will never take is set aside, so that it holds up nothing and is not asked for for ever: an event that is refused by
/// itself while others are taken (`ConcludeDelivery`), and at Stripe one that may have been counted so long ago that Stripe would count it
/// again.
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
        let sent = try await send(events, to: sink, at: now)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        return try await conclusion.run(sent, of: events, in: database, at: ended)
    }

    /// What became of the events of a batch.
    struct Sent: Sendable {
        /// Those that need not be sent any more.
        var taken: [UUID] = []
        /// What was refused by itself, and with which status.
        var refused: [(id: UUID, status: Int)] = []
        /// What may have been counted, and the receiver would not know it again.
        var uncertain: [UUID] = []
        /// What was sent, and nothing said what became of it.
        var unanswered: [UUID] = []
        /// Whether the receiver has taken anything.
        var isTaking = false
        var answer: OutgoingRequest.Answer?
        /// Some could not be sent, since nobody has said what Stripe calls their tenant.
        var lacksCustomer = false
    }

    private func send(_ events: [WaitingUsage], to sink: UsageSink, at now: Date) async throws -> Sent {
        let secret = try sink.secret(keyring)
        switch (sink.format, sink.eventName) {
        case (.stripe, let name?): return try await sendMeterEvents(events, named: name, to: sink.url, secret, at: now)
        case (.cloudevents, _), (.stripe, nil): return try await sendCloudEvents(events, to: sink.url, secret)
        }
    }

    func ask(_ url: String, _ secret: Secret?, _ type: String, _ body: [UInt8]) async throws -> OutgoingRequest.Outcome {
        try await OutgoingRequest(
            url: url, headers: [("content-type", type)] + (secret.map { [("authorization", "Bearer \($0.reveal())")] } ?? []), body: body,
            allowsPrivate: allowsPrivate
        ).ask(within: timeout, readingRefusal: 8192)
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
