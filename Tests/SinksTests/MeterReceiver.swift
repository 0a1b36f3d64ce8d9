import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization
import TestSupport
import Web

/// A meter on 127.0.0.1. It counts logins by their IDs, as OpenMeter does, or meter events by their identifiers, as Stripe does
/// (`StripeMeter`). On request it misbehaves, with one fault per request until none are left.
final class MeterReceiver: Sendable {
    enum Misdeed: Sendable, CaseIterable {
        /// The request is lost: it is not counted and gets no response.
        case losesRequest
        /// The request is counted, and the response is lost.
        case losesAnswer
        /// A proxy has sent the request twice.
        case repeats
        /// The request is counted, and the response is late.
        case delays
        case refuses
        case fails
        /// The request is counted, but gets an error.
        case failsAfterwards
    }

    struct Request: Sendable {
        let path: String
        let headers: HTTPFields
        let body: [UInt8]
        var type: String { headers[.contentType] ?? "" }
        var authorization: String? { headers[.authorization] }
        var events: [[String: any Sendable]] {
            (try? JSONSerialization.jsonObject(with: Data(body)) as? [[String: any Sendable]]) ?? []
        }
        var form: Form? { try? Form(String(decoding: body, as: UTF8.self)) }
    }

    private struct State {
        var misdeeds: [Misdeed] = []
        var requests: [Request] = []
        /// The counted events by ID, with their customer.
        var counted: [String: String] = [:]
        /// How often an already counted ID arrived again.
        var repetitions = 0
        var isReleased = false
        var refusal: (status: Int, body: String)?
        /// IDs of events that it rejects, with every request that contains them.
        var poison: Set<String> = []
        var poisonStatus = 400
        /// The `Retry-After` of each rejection.
        var retryAfter: String?
    }

    /// Stripe's meter. Nil if it accepts CloudEvents.
    let stripe: StripeMeter?
    private let state = Mutex(State())
    private let port = Mutex(0)

    private init(isStripe: Bool) {
        stripe = isStripe ? StripeMeter() : nil
    }

    var url: String { "http://127.0.0.1:\(port.withLock { $0 })\(stripe != nil ? "/v1/billing/meter_events" : "/api/v1/events")" }
    var requests: [Request] { state.withLock { $0.requests } }
    var counted: [String: String] { stripe?.counted ?? state.withLock { $0.counted } }
    var repetitions: Int { stripe?.repetitions ?? state.withLock { $0.repetitions } }
    var hasMisdeeds: Bool { state.withLock { !$0.misdeeds.isEmpty } }

    func misbehave(_ misdeeds: [Misdeed]) { state.withLock { $0.misdeeds = misdeeds } }
    /// Rejects all requests until this is set to nil.
    func refuse(_ refusal: (status: Int, body: String)?, retryAfter: String? = nil) {
        state.withLock { ($0.refusal, $0.retryAfter) = (refusal, retryAfter) }
    }

    /// Rejects, and does not count, every request with one of these logins or for one of these customers.
    func refuse(_ names: Set<String>, status: Int, retryAfter: String? = nil) {
        state.withLock { ($0.poison, $0.poisonStatus, $0.retryAfter) = (names, status, retryAfter) }
    }

    static func run<Outcome: Sendable>(
        isStripe: Bool = false, _ body: @Sendable (MeterReceiver) async throws -> Outcome
    ) async throws -> Outcome {
        let receiver = MeterReceiver(isStripe: isStripe)
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let app = Application(
            responder: CallbackResponder { (request: Hummingbird.Request, _: BasicRequestContext) in
                try await receiver.respond(to: request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
            receiver.port.withLock { $0 = port }
            let result: Result<Outcome, any Error>
            do { result = .success(try await body(receiver)) } catch { result = .failure(error) }
            receiver.state.withLock { $0.isReleased = true }
            group.cancelAll()
            return try result.get()
        }
    }

    private func respond(to request: Hummingbird.Request) async throws -> Response {
        let received = Request(
            path: request.uri.string, headers: request.headers, body: Array(buffer: try await request.body.collect(upTo: 1 << 20)))
        if let stripe, request.method == .get { return stripe.answer(request.uri) }
        let form = received.form
        let names = Set(
            received.events.compactMap { $0["id"] as? String }
                + [form?["identifier"], form?["payload[stripe_customer_id]"]].compactMap(\.self))
        let (misdeed, refusal, retryAfter) = state.withLock { state in
            state.requests.append(received)
            let poisoned = state.poison.isDisjoint(with: names) ? nil : (status: state.poisonStatus, body: "")
            return (poisoned == nil ? state.misdeeds.popLast() : nil, state.refusal ?? poisoned, state.retryAfter)
        }
        if let refusal {
            return Response(
                status: .init(code: refusal.status), headers: retryAfter.map { [.retryAfter: $0] } ?? [:],
                body: .init(byteBuffer: .init(string: refusal.body)))
        }
        switch misdeed {
        case nil: return try await count(received)
        case .losesRequest:
            try await hold()
            return Response(status: .ok)
        case .losesAnswer:
            _ = try await count(received)
            try await hold()
            return Response(status: .ok)
        case .repeats:
            _ = try await count(received)
            return try await count(received)
        case .delays:
            let answer = try await count(received)
            try await Task.sleep(for: .milliseconds(100))
            return answer
        case .refuses: return Response(status: .tooManyRequests)
        case .fails: return Response(status: .serviceUnavailable)
        case .failsAfterwards:
            _ = try await count(received)
            return Response(status: .internalServerError)
        }
    }

    /// Waits until the end of the test, longer than any client waits for a response.
    private func hold() async throws {
        try await eventually("it is released", isSo: { state.withLock { $0.isReleased } })
    }

    private func count(_ request: Request) async throws -> Response {
        if let stripe { return try await stripe.count(request) }
        state.withLock { state in
            for event in request.events {
                guard let id = event["id"] as? String, let subject = event["subject"] as? String else { continue }
                if state.counted.updateValue(subject, forKey: id) != nil { state.repetitions += 1 }
            }
        }
        return Response(status: .noContent)
    }
}
