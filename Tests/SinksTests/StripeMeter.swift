import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Web

/// Stripe's side of a meter, as strict as its documentation: one call per customer and meter at a time, 1,000 calls per second, identifiers
/// that are unique for exactly 24 hours, integer values, timestamps of the last 35 days and up to 5 minutes ahead. For the errors that
/// Stripe reports only later (`v1.billing.meter.error_report_triggered`), this meter responds with 200 and does not count the event.
final class StripeMeter: Sendable {
    struct Counted: Sendable {
        let identifier, customer: String
        let value: Int
        let timestamp: Date
    }

    private struct State {
        var counted: [Counted] = []
        var identifiers: [String: Date] = [:]
        var repetitions = 0
        var busy: Set<String> = []
        var calls: [ContinuousClock.Instant] = []
        var limited = 0
        var mostAtOnce = 0
        /// How many customers' calls must be open at once before the first response.
        var expectedAtOnce = 0
        /// The errors that Stripe reports later.
        var reported: [String] = []
        var now: Date?
        /// Nil means that it knows all.
        var customers: Set<String>?
        var deletedCustomers: Set<String> = []
        var readStatus: HTTPResponse.Status = .ok
        var formula = "sum"
        var customerAnswer: (object: String, id: String)?
    }

    private let state = Mutex(State())

    var events: [Counted] { state.withLock { $0.counted } }
    /// The counted identifiers with their customers.
    var counted: [String: String] { Dictionary(events.map { ($0.identifier, $0.customer) }) { $1 } }
    /// The number of counted logins by customer.
    var logins: [String: Int] { events.reduce(into: [:]) { $0[$1.customer, default: 0] += $1.value } }
    var repetitions: Int { state.withLock { $0.repetitions } }
    /// How many calls met a limit.
    var limited: Int { state.withLock { $0.limited } }
    /// Responds to no call before the calls of this number of customers are open at once.
    func expect(atOnce count: Int) { state.withLock { $0.expectedAtOnce = count } }

    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var reported: [String] { state.withLock { $0.reported } }

    /// Sets its clock. By default, it uses the machine's clock.
    func set(now: Date) { state.withLock { $0.now = now } }
    func setCustomers(_ customers: Set<String>?, deleted: Set<String> = []) {
        state.withLock { ($0.customers, $0.deletedCustomers) = (customers, deleted) }
    }
    /// Responds to every GET with this status.
    func answersReads(_ status: HTTPResponse.Status) { state.withLock { $0.readStatus = status } }
    /// Responds to reads of a customer with this object.
    func answersCustomers(as answer: (object: String, id: String)?) { state.withLock { $0.customerAnswer = answer } }
    func aggregates(by formula: String) { state.withLock { $0.formula = formula } }
    /// Counts a value that no request contained. A negative value subtracts.
    func add(_ value: Int, of customer: String, at timestamp: Date) {
        state.withLock { $0.counted.append(Counted(identifier: UUID().uuidString, customer: customer, value: value, timestamp: timestamp)) }
    }

    /// `POST /v1/billing/meter_events`
    func count(_ request: MeterReceiver.Request) async throws -> Response {
        guard let form = request.form, let identifier = form["identifier"], let customer = form["payload[stripe_customer_id]"],
            let name = form["event_name"], let value = form["payload[value]"], let seconds = form["timestamp"].flatMap(Int.init),
            identifier.utf8.count <= 100
        else { return Self.error(.badRequest, "parameter_invalid", "Invalid.") }
        let lane = "\(name) \(customer)"
        let isFree = state.withLock { state in
            let now = ContinuousClock.now
            state.calls = state.calls.filter { now - $0 < .seconds(1) } + [now]
            guard state.calls.count <= 1000, state.busy.insert(lane).inserted else {
                state.limited += 1
                return false
            }
            state.mostAtOnce = max(state.mostAtOnce, state.busy.count)
            return true
        }
        guard isFree else { return Self.error(.tooManyRequests, "lock_timeout", "This object cannot be accessed right now.") }
        defer { state.withLock { _ = $0.busy.remove(lane) } }
        // Calls of several customers wait for each other, and a second call of one customer would meet this one.
        while state.withLock({ $0.mostAtOnce < $0.expectedAtOnce }) { try await Task.sleep(for: .milliseconds(3)) }
        for _ in 0..<20 { await Task.yield() }
        return state.withLock { state in
            let (now, timestamp) = (state.now ?? Date(), Date(timeIntervalSince1970: TimeInterval(seconds)))
            if let known = state.identifiers[identifier], now.timeIntervalSince(known) < 86400 {
                state.repetitions += 1
                return Self.error(.badRequest, nil, "An event already exists with identifier \(identifier).")
            }
            guard let value = Int(value) else {
                state.reported.append("meter_event_invalid_value")
                return Response(status: .ok)
            }
            if now.timeIntervalSince(timestamp) > 35 * 86400 {
                state.reported.append("timestamp_too_far_in_past")
            } else if timestamp.timeIntervalSince(now) > 300 {
                state.reported.append("timestamp_in_future")
            } else if state.deletedCustomers.contains(customer) || state.customers.map({ !$0.contains(customer) }) ?? false {
                state.reported.append("meter_event_customer_not_found")
            } else {
                state.identifiers[identifier] = now
                state.counted.append(Counted(identifier: identifier, customer: customer, value: value, timestamp: timestamp))
            }
            return Response(status: .ok)
        }
    }

    /// Responds to every GET.
    func answer(_ uri: URI) -> Response {
        state.withLock { state in
            guard state.readStatus == .ok else { return Self.error(state.readStatus, nil, "No.") }
            let path = uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
            switch (path.count, path.dropFirst().first, path.last) {
            case (3, "customers", let customer?):
                if let answer = state.customerAnswer { return Self.json(["id": answer.id, "object": answer.object]) }
                if state.deletedCustomers.contains(customer) { return Self.json(["id": customer, "object": "customer", "deleted": true]) }
                if let known = state.customers, !known.contains(customer) {
                    return Self.error(.notFound, "resource_missing", "No such customer: '\(customer)'")
                }
                return Self.json(["id": customer, "object": "customer"])
            case (3, "billing", "meters"):
                let meters: [[String: Any]] = [
                    ["id": "mtr_other", "event_name": "other", "status": "active", "default_aggregation": ["formula": "count"]],
                    ["id": "mtr_logins", "event_name": "logins", "status": "active", "default_aggregation": ["formula": state.formula]],
                ]
                return Self.json(["object": "list", "data": meters, "has_more": false])
            case (5, "billing", "event_summaries") where path[3] == "mtr_logins":
                let query = uri.queryParameters
                guard let customer = query["customer"].map({ String($0) }), let from = query["start_time"].flatMap({ Int($0) }),
                    let to = query["end_time"].flatMap({ Int($0) }), from % 60 == 0, to % 60 == 0, from < to
                else { return Self.error(.badRequest, "parameter_invalid", "Invalid.") }
                if let known = state.customers, !known.contains(customer) {
                    return Self.error(.badRequest, "resource_missing", "No such customer: '\(customer)'")
                }
                let value = state.counted.filter {
                    $0.customer == customer && $0.timestamp.timeIntervalSince1970 >= TimeInterval(from)
                        && $0.timestamp.timeIntervalSince1970 < TimeInterval(to)
                }.reduce(0) { $0 + $1.value }
                let summary: [String: Any] = ["object": "billing.meter_event_summary", "aggregated_value": Double(value)]
                return Self.json(["object": "list", "data": value == 0 ? [] : [summary], "has_more": false])
            default: return Self.error(.notFound, "resource_missing", "Unrecognized request URL.")
            }
        }
    }

    private static func json(_ object: [String: Any]) -> Response {
        let data = try! JSONSerialization.data(withJSONObject: object)
        return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }

    private static func error(_ status: HTTPResponse.Status, _ code: String?, _ message: String) -> Response {
        var error = ["message": message, "type": "invalid_request_error"]
        error["code"] = code
        let data = try! JSONSerialization.data(withJSONObject: ["error": error])
        return Response(status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}
