import AsyncHTTPClient
import Encoding
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// One HTTP exchange with Apple, with limits for time and size and a named error for each failure.
struct AppleWire: Sendable {
    let baseURL: String
    let timeout: Duration
    let places: ApplePlaces
    /// The maximum time that a call waits for a place.
    let patience: Duration
    let http: HTTPClient
    let logger: Logger

    /// The maximum size of a response that is read. Apple's responses have a few kilobytes.
    static let largestBody = 64 * 1024

    struct Answer: Sendable {
        let status: Int
        /// The `Date` header, unchanged.
        let date: String?
        /// The value of `Retry-After` in seconds.
        let retryAfter: Int?
        let body: [UInt8]
    }

    func get(_ path: String) async throws(AppleError) -> Answer {
        try await send(HTTPClientRequest(url: baseURL + path), path: path, by: nil)
    }

    /// - Parameters:
    ///   - share: The connection and tenant whose place the call takes.
    ///   - bearer: An Apple access token, if the endpoint requires one.
    ///   - deadline: The caller's own deadline, if it is before `timeout`.
    func post(
        _ path: String, _ form: KeyValuePairs<String, String?>, of share: AppleShare, bearer: String? = nil,
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> Answer {
        var request = HTTPClientRequest(url: baseURL + path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        if let bearer { request.headers.add(name: "authorization", value: "Bearer \(bearer)") }
        request.body = .bytes(ByteBuffer(string: Form.encode(form)))
        // The other half of the time is for the call itself. A call that started at the deadline would use up a code
        // without a result.
        let half = min(timeout, deadline.map { $0 - .now } ?? timeout) / 2
        try await places.take(share, by: .now + min(patience, half))
        defer { places.giveBack(share) }
        return try await send(request, path: path, by: deadline)
    }

    private func send(
        _ request: HTTPClientRequest, path: String, by deadline: ContinuousClock.Instant?
    ) async throws(AppleError) -> Answer {
        var request = request
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "espalier")
        do {
            return try await within(min(timeout, deadline.map { $0 - .now } ?? timeout)) { [request] in
                // The deadline of `execute` covers only the head of the response. The limit in `within` covers the
                // whole exchange.
                let response = try await http.execute(request, deadline: .distantFuture)
                guard response.history.count == 1 else { throw AppleError.nonsense("it is a redirect") }
                let body = try await response.body.collect(upTo: Self.largestBody)
                return Answer(
                    status: Int(response.status.code), date: response.headers.first(name: "date"),
                    retryAfter: response.headers.first(name: "retry-after").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 },
                    body: Array(buffer: body))
            }
        } catch {
            let failure = Self.name(error)
            if failure != .cancelled {
                logger.warning(
                    "A call to Apple failed.",
                    metadata: ["path": "\(path)", "reason": "\(failure)", "cause": "\(error)"])
            }
            throw failure
        }
    }

    /// Runs one exchange against the clock. The first to end cancels the other.
    private func within(_ limit: Duration, _ exchange: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: exchange)
            group.addTask {
                try await Task.sleep(for: limit)
                throw AppleError.timedOut
            }
            guard let answer = try await group.next() else { throw CancellationError() }
            // A body that ended because of a cancellation looks like a short body.
            try Task.checkCancellation()
            return answer
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
    ]

    private static func name(_ error: any Error) -> AppleError {
        if Task.isCancelled { return .cancelled }
        return switch error {
        case let error as AppleError: error
        case is NIOTooManyBytesError: .nonsense("it is longer than 64 KiB")
        case HTTPParserError.invalidEOFState: .unreachable
        case is HTTPParserError: .nonsense("it is not HTTP")
        case let error as HTTPClientError where timeouts.contains(error): .timedOut
        default: .unreachable
        }
    }
}
