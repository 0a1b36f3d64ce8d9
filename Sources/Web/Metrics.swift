import Synchronization

/// Counters and histograms in Prometheus' text format, for the operations port.
///
/// Two families answer most questions: the requests by action and status, with their durations, and the login funnel
/// by step and outcome. Each label has a fixed set of values: the operations of the spec, our status codes, and our
/// outcomes. So a caller cannot add series.
package final class Metrics: Sendable {
    /// Steps of a login, in their order.
    package enum Step: String, Sendable {
        case authorize, callback, token, refresh
        /// An authorization request that an application sent directly.
        case push
        /// A sign-in with an id_token of a native application: a whole login in one step.
        case native
        /// An access token for a machine, which signs nobody in.
        case machine
        /// A sign-in on a device: its request, the user's decision, and the device's polls.
        case device, approval, poll
        /// A sign-in of a person who manages a tenant or the platform.
        case person
    }

    private struct Request: Hashable {
        let action: String
        let status: Int
    }
    private struct Funnel: Hashable {
        let step: Step
        let outcome: String
    }
    private struct Notification: Hashable {
        let type, outcome: String
    }
    private struct Histogram {
        var buckets = [UInt64](repeating: 0, count: Metrics.bounds.count + 1)
        var seconds = 0.0
    }
    private struct State {
        var requests: [Request: UInt64] = [:]
        var durations: [String: Histogram] = [:]
        var logins: [Funnel: UInt64] = [:]
        var notifications: [Notification: UInt64] = [:]
        var mails: [String: UInt64] = [:]
    }

    /// Upper bounds in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10]

    /// The connections of the public port.
    package let connections = OpenConnections()

    private let state = Mutex(State())

    package init() {}

    package func observe(action: String, status: Int, took: Duration) {
        let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.requests[Request(action: action, status: status), default: 0] += 1
            state.durations[action, default: Histogram()].buckets[bucket] += 1
            state.durations[action]!.seconds += seconds
        }
    }

    /// Counts a login that reached this step. The outcome is `ok` or the short name of the refusal.
    package func count(_ step: Step, _ outcome: String) {
        state.withLock { $0.logins[Funnel(step: step, outcome: outcome), default: 0] += 1 }
    }

    /// Counts one Apple notification.
    /// - Parameter type: A known type, or the placeholder for all others.
    package func count(notification type: String, _ outcome: String) {
        state.withLock { $0.notifications[Notification(type: type, outcome: outcome), default: 0] += 1 }
    }

    /// Counts one attempt to send a mail, or a mail that was given up without one, by the name of its outcome.
    package func count(mail outcome: String) {
        state.withLock { $0.mails[outcome, default: 0] += 1 }
    }

    /// The exposition format, version 0.0.4.
    package var text: String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func describe(_ name: String, _ type: String, _ help: String) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
        }
        describe(
            "espalier_requests_total", "counter",
            "Requests by action (an operationId of openapi.yaml; none if no operation matches) and status.")
        for (key, count) in state.requests.sorted(by: { ($0.key.action, $0.key.status) < ($1.key.action, $1.key.status) }) {
            lines.append("espalier_requests_total{action=\"\(key.action)\",status=\"\(key.status)\"} \(count)")
        }
        describe("espalier_request_seconds", "histogram", "The time from a request's head to its response, in seconds, by action.")
        for (action, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
            var sum: UInt64 = 0
            for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], histogram.buckets) {
                sum += count
                lines.append("espalier_request_seconds_bucket{action=\"\(action)\",le=\"\(bound)\"} \(sum)")
            }
            lines.append("espalier_request_seconds_sum{action=\"\(action)\"} \(histogram.seconds)")
            lines.append("espalier_request_seconds_count{action=\"\(action)\"} \(sum)")
        }
        describe("espalier_logins_total", "counter", "Steps of logins by step and outcome: ok, or the reason for the refusal.")
        for (key, count) in state.logins.sorted(by: { ($0.key.step.rawValue, $0.key.outcome) < ($1.key.step.rawValue, $1.key.outcome) }) {
            lines.append("espalier_logins_total{step=\"\(key.step.rawValue)\",outcome=\"\(key.outcome)\"} \(count)")
        }
        describe("espalier_notifications_total", "counter", "Notifications from Apple by type and outcome.")
        for (key, count) in state.notifications.sorted(by: { ($0.key.type, $0.key.outcome) < ($1.key.type, $1.key.outcome) }) {
            lines.append("espalier_notifications_total{type=\"\(key.type)\",outcome=\"\(key.outcome)\"} \(count)")
        }
        describe("espalier_mails_total", "counter", "Attempts to send a mail by outcome, and mails that were given up before one.")
        for (outcome, count) in state.mails.sorted(by: { $0.key < $1.key }) {
            lines.append("espalier_mails_total{outcome=\"\(outcome)\"} \(count)")
        }
        describe("espalier_connections", "gauge", "Open connections of the public port.")
        lines.append("espalier_connections \(connections.count)")
        describe("espalier_connections_refused_total", "counter", "Connections closed at once, by the cap that was reached.")
        for cap in OpenConnections.Cap.allCases {
            lines.append("espalier_connections_refused_total{cap=\"\(cap.rawValue)\"} \(connections.refused(by: cap))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
