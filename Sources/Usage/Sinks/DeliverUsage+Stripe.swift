import Foundation
import Sealing
import Tenancy
import Web

/// Stripe takes one meter event a request, so a batch is many of them, a few at a time.
extension DeliverUsage {
    private static let atOnce = 8

    /// What became of one event.
    private enum Fate: Sendable {
        case taken
        /// It is not wanted, and the next one may well be.
        case refused(OutgoingRequest.Answer)
        /// Nothing is taken at the moment: no answer, too many requests, a key that is not valid.
        case closed(OutgoingRequest.Answer)
    }

    func sendMeterEvents(_ events: [WaitingUsage], named name: String, to url: String, _ secret: Secret?) async throws -> Sent {
        var sent = Sent()
        var open: [(id: UUID, body: [UInt8])] = []
        for event in events {
            switch event.customer {
            case .known(let customer): open.append((event.id, Array(event.meterEvent(named: name, for: customer).utf8)))
            case .none: sent.taken.append(event.id)
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
                case .taken: sent.taken.append(id)
                case .refused(let answer): sent.answer = answer
                case .closed(let answer):
                    sent.answer = answer
                    rest = []
                }
                if ContinuousClock.now < deadline { begin() }
            }
        }
        return sent
    }

    private func fate(of body: [UInt8], _ url: String, _ secret: Secret?) async throws -> Fate {
        let (answer, refusal) = try await ask(url, secret, "application/x-www-form-urlencoded", body)
        switch answer {
        case .status(200..<300): return .taken
        case .status(400) where Self.saysDuplicate(refusal): return .taken
        case .status(400), .status(404), .status(422): return .refused(answer)
        case .status, .failure: return .closed(answer)
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
