import Delivery
import Encoding
import Foundation
import Sealing

/// Sends CloudEvents as a batch in one request (CloudEvents' HTTP binding, "Batched Content Mode"; OpenMeter's `POST /api/v1/events`).
extension DeliverUsage {
    /// After this number of individually rejected events, the receiver is assumed to accept none at all.
    private static let enough = 10

    /// Sends a batch. A rejected batch is halved until each rejected event is alone, so one invalid event does not block the 99 others.
    func sendCloudEvents(_ events: [WaitingUsage], to url: String, _ secret: Secret?) async throws -> Sent {
        var sent = Sent()
        var parts = [events[...]]
        let deadline = ContinuousClock.now + patience
        while let part = parts.popLast() {
            // The bytes are the same at each attempt.
            let body = try JSONWriter.encode(part.map(\.cloudEvent))
            let outcome = try await ask(url, secret, "application/cloudevents-batch+json", body)
            switch outcome.answer {
            case .status(200..<300):
                sent.taken += part.map(\.id)
                sent.isTaking = true
            case .status(let status) where Self.refusals.contains(status):
                sent.answer = outcome.answer
                if let event = part.first, part.count == 1 {
                    sent.refused.append((event.id, status))
                    guard sent.isTaking || sent.refused.count < Self.enough else { return sent }
                } else {
                    let middle = part.startIndex + part.count / 2
                    parts += [part[middle...], part[..<middle]]
                }
            case .status, .failure:
                sent.answer = outcome.answer
                return sent
            }
            guard ContinuousClock.now < deadline else { return sent }
        }
        return sent
    }
}
