import Delivery
import Encoding
import Foundation
import Sealing
import Web

/// The parts of Stripe's API that a sink needs.
struct Stripe: Sendable {
    /// The sink's URL: the URL of `POST /v1/billing/meter_events`.
    let url: String
    let secret: Secret?
    /// Whether private networks and URLs without TLS are allowed. For development.
    let allowsPrivate: Bool
    /// The limit for name resolution, connection and response of one request together.
    var timeout = Duration.seconds(15)

    /// Sends one meter event.
    /// - Throws: `CancellationError`.
    func send(_ event: MeterEvent) async throws -> OutgoingRequest.Outcome {
        try await OutgoingRequest(
            url: url, headers: [("content-type", "application/x-www-form-urlencoded")] + authorization, body: Array(event.form.utf8),
            allowsPrivate: allowsPrivate
        ).ask(within: timeout, reading: 8192, of: 400..<500)
    }

    // MARK: Reading

    /// The end of Stripe's URL for meter events. The other URLs start with the part before it.
    static let path = "/v1/billing/meter_events"

    static func isMeterEvents(_ url: String) -> Bool { url.utf8.suffix(path.utf8.count).elementsEqual(path.utf8) }

    /// The reason why something could not be read.
    struct Failure: Error {
        let status: Int?
        let reason: String?

        init(_ answer: OutgoingRequest.Answer) {
            switch answer {
            case .status(let status): (self.status, reason) = (status, nil)
            case .failure(let failure): (status, reason) = (nil, failure.rawValue)
            }
        }

        init(_ reason: String) { (status, self.reason) = (nil, reason) }
    }

    private func read<Body: Decodable>(_ path: String, as body: Body.Type) async throws -> (status: Int, Body?) {
        guard Self.isMeterEvents(url) else { throw Failure("url_not_stripe") }
        let base = String(decoding: url.utf8.dropLast(Self.path.utf8.count), as: UTF8.self)
        let outcome = try await OutgoingRequest(
            url: "\(base)/v1\(path)", headers: authorization, body: nil, allowsPrivate: allowsPrivate
        ).ask(within: timeout, reading: 1 << 20, of: 200..<300)
        switch outcome.answer {
        case .status(200):
            guard let body = try? JSONDecoder().decode(Body.self, from: Data(outcome.body)) else { throw Failure("no_http") }
            return (200, body)
        case .status(let status): return (status, nil)
        case .failure: throw Failure(outcome.answer)
        }
    }

    enum Customer: Equatable {
        case known, deleted, unknown
    }

    /// Whether Stripe can have a customer with this ID. Other texts, for example `..`, must not become part of a path.
    static func isCustomerID(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    /// `GET /v1/customers/{id}`
    /// - Throws: `Failure`, even for a response about another customer; `CancellationError`.
    func customer(_ id: String) async throws -> Customer {
        struct Body: Decodable {
            let id, object: String
            let deleted: Bool?
        }
        // Earlier versions stored any text.
        guard Self.isCustomerID(id) else { return .unknown }
        switch try await read("/customers/\(id)", as: Body.self) {
        case (200, let body?):
            guard body.object.isSame(as: "customer"), body.id.isSame(as: id) else { throw Failure("no_http") }
            return body.deleted == true ? .deleted : .known
        case (404, _): return .unknown
        case (let status, _): throw Failure(.status(status))
        }
    }

    /// The ID of the active meter with an event name: `GET /v1/billing/meters`.
    /// - Throws: `Failure`, even for a meter that does not sum `value`; `CancellationError`.
    func meter(named name: String) async throws -> String {
        struct Body: Decodable {
            struct Meter: Decodable {
                struct Aggregation: Decodable {
                    let formula: String
                }
                let id, event_name: String
                let default_aggregation: Aggregation
            }
            let data: [Meter]
            let has_more: Bool
        }
        var after = ""
        // Reads at most 2,000 meters.
        for _ in 0..<20 {
            let (status, body) = try await read("/billing/meters?status=active&limit=100\(after)", as: Body.self)
            guard let body else { throw Failure(.status(status)) }
            if let meter = body.data.first(where: { $0.event_name.isSame(as: name) }) {
                guard meter.default_aggregation.formula == "sum" else { throw Failure("meter_not_sum") }
                return meter.id
            }
            guard body.has_more, let last = body.data.last else { break }
            after = "&starting_after=\(Form.encode(last.id))"
        }
        throw Failure("meter_not_found")
    }

    /// The number of logins that a meter has counted for a customer: `GET /v1/billing/meters/{id}/event_summaries`.
    /// - Parameters:
    /// - start: the start of a minute. The end is the start of a minute too, and is exclusive.
    /// - Throws: `Failure`, `CancellationError`.
    func counted(of customer: String, by meter: String, from start: Date, to end: Date) async throws -> Int {
        struct Body: Decodable {
            struct Summary: Decodable {
                let aggregated_value: Decimal
            }
            let data: [Summary]
        }
        let query =
            "customer=\(Form.encode(customer))&start_time=\(Int(start.timeIntervalSince1970))&end_time=\(Int(end.timeIntervalSince1970))"
        let (status, body) = try await read("/billing/meters/\(Form.encode(meter))/event_summaries?\(query)&limit=100", as: Body.self)
        guard let body else {
            // Otherwise one customer that Stripe does not have, for example one that was set before the sink, would end every comparison.
            if [400, 404].contains(status), try await self.customer(customer) != .known { return 0 }
            throw Failure(.status(status))
        }
        return NSDecimalNumber(decimal: body.data.reduce(0) { $0 + $1.aggregated_value }).intValue
    }

    private var authorization: [(String, String)] { secret.map { [("authorization", "Bearer \($0.reveal())")] } ?? [] }

    /// Whether Stripe rejects an identifier because it has already counted it, which is the desired result. The code shows this. In some
    /// versions of Stripe's API, only the message does.
    static func reportsDuplicate(_ refusal: [UInt8]) -> Bool {
        struct Body: Decodable {
            struct Refusal: Decodable {
                let code, message: String?
            }
            let error: Refusal
        }
        guard let error = try? JSONDecoder().decode(Body.self, from: Data(refusal)).error else { return false }
        return error.code == "duplicate_meter_event" || error.message?.begins(with: "An event already exists with identifier") == true
    }
}
