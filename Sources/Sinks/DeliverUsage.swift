import Access
import Delivery
import Foundation
import Logging
import Outbox
import Postgres
import Sealing

/// Sends a batch of CloudEvents to the sink. This is the outbox's handler for its kind. Stripe receives meter events instead
/// (`SendMeterEvents`).
///
/// Events that the receiver has accepted are removed. The others are sent again as long as the sink exists, after 5 s at first and every 15
/// minutes at the end. So each event arrives at least once. Each event contains the login's ID, so the receiver can count it once.
///
/// An event that is rejected individually while others are accepted is set aside (`ConcludeDelivery`). So it does not block other events
/// and is not sent repeatedly.
///
/// One process sends few batches at a time, because the outbox gives few rows to one owner (`OutboxWorker.Configuration.share`). So a sink
/// that does not respond does not block webhooks.
struct DeliverUsage: Sendable {
    static let outboxKind = "usage_sink"

    let database: PlatformDatabase
    let keyring: Keyring
    /// Whether private networks and URLs without TLS are allowed. For development.
    let allowsPrivate: Bool
    let logger: Logger
    /// The limit for name resolution, connection and response of one request together.
    var timeout = Duration.seconds(15)
    /// For how long requests of one batch start. With the timeout of the last ones, this is well below the outbox's lease.
    var patience = Duration.seconds(45)

    /// Makes one attempt to send a batch.
    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. All events stay waiting then.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let batch = entry.subject
        let (sinks, batches, waiting) = try await database.run(UsageSink.find, Self.find(batch), WaitingUsage.all(of: batch))
        let events = try waiting.map(WaitingUsage.init)
        // The batch's sink is deleted, or replaced by another one.
        guard let sink = try sinks.first(UsageSink.init), try batches.first({ try $0.get("sink_id") }) == sink.id else {
            _ = try await database.run(Self.forget(batch))
            return .done
        }
        let conclusion = ConcludeDelivery(
            batch: batch, batchCreatedAt: try batches[0].get("created_at"), sink: sink, attempts: entry.attempts, logger: logger)
        // Every event was accepted or set aside. A retry of events that are set aside wakes the batch.
        guard !events.isEmpty else { return try await conclusion.run(.init(), of: [], in: database, at: now) }
        // Enabling the sink wakes the batch.
        guard sink.status == .enabled else { return .done }

        let started = ContinuousClock.now
        let sent = try await send(events, to: sink)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        return try await conclusion.run(sent, of: events, in: database, at: ended)
    }

    /// The results for the events of a batch.
    struct Sent: Sendable {
        /// The accepted events, which need not be sent again.
        var taken: [UUID] = []
        /// The individually rejected events with their HTTP status.
        var refused: [(id: UUID, status: Int)] = []
        /// Whether the receiver has accepted any event.
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

    /// The statuses that reject the content. All others are about the sink or are temporary: a wrong address (404), an invalid key (401,
    /// 403), too many requests (408, 425, 429) and the receiver's own errors (500 to 599).
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
