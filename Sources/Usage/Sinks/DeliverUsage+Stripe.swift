import Foundation
import Sealing
import Tenancy
import Web

/// Stripe takes one meter event a request, so a batch is many of them, a few at a time.
extension DeliverUsage {
    private static let atOnce = 8

    /// How long Stripe surely knows an identifier again: it says 24 hours at least, and the attempt that comes to it takes some time.
    private static let memory: TimeInterval = 23 * 3600

    /// What became of one event.
    private enum Fate: Sendable {
        case taken
        /// It is not wanted, and the next one may well be.
        case refused(Int)
        /// Nothing is taken at the moment: no answer, too many requests, a key that is not valid.
        case closed(OutgoingRequest.Answer, mayBeCounted: Bool)
    }

    func sendMeterEvents(
        _ events: [WaitingUsage], named name: String, to url: String, _ secret: Secret?, at now: Date
    ) async throws -> Sent {
        var sent = Sent()
        var open: [(id: UUID, body: [UInt8])] = []
        for event in events {
            switch event.customer {
            case .none: sent.taken.append(event.id)
            // Sent now, it may count twice; not sent, not at all. That is not for us to say.
            case _ where event.uncertainSince.map { now.timeIntervalSince($0) > Self.memory } ?? false: sent.uncertain.append(event.id)
            case .known(let customer): open.append((event.id, Array(event.meterEvent(named: name, for: customer).utf8)))
            case .unknown: sent.lacksCustomer = true
            }
        }
        let deadline = ContinuousClock.now + patience
        try await withThrowingTaskGroup(of: (UUID, Fate).self) { group in
            var rest = open[...]
            func begin() {
                guard let event = rest.popFirst() else { return }
                group.addTask { (event.id, try await fate(of: event.body, url, secret)) }
            }
            for _ in 0..<Self.atOnce { begin() }
            while let (id, fate) = try await group.next() {
                switch fate {
                case .taken:
                    sent.taken.append(id)
                    sent.isTaking = true
                case .refused(let status):
                    sent.refused.append((id, status))
                    sent.answer = .status(status)
                case .closed(let answer, let mayBeCounted):
                    if mayBeCounted { sent.unanswered.append(id) }
                    sent.answer = answer
                    rest = []
                }
                if ContinuousClock.now < deadline { begin() }
            }
        }
        return sent
    }

    private func fate(of body: [UInt8], _ url: String, _ secret: Secret?) async throws -> Fate {
        let outcome = try await ask(url, secret, "application/x-www-form-urlencoded", body)
        switch outcome.answer {
        case .status(200..<300): return .taken
        case .status(400) where Self.saysDuplicate(outcome.refusal): return .taken
        case .status(let status) where Self.refusals.contains(status): return .refused(status)
        case .status(let status): return .closed(outcome.answer, mayBeCounted: status >= 500)
        case .failure: return .closed(outcome.answer, mayBeCounted: outcome.mayHaveArrived)
        }
    }

    /// Stripe refuses an identifier that it has counted already, which is all we want. It says so by the code, and on some of its versions
    /// by the message alone.
    static func saysDuplicate(_ refusal: [UInt8]) -> Bool {
        struct Body: Decodable {
            struct Refusal: Decodable {
                let code, message: String?
            }
            let error: Refusal
        }
        guard let error = try? JSONDecoder().decode(Body.self, from: Data(refusal)).error else { return false }
        return error.code == "duplicate_meter_event" || error.message?.hasPrefix("An event already exists with identifier") == true
    }
}
