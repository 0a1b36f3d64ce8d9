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
        try await send(.GET, path, by: nil)
    }

    /// - Parameters:
    ///   - share: The connection and tenant whose place the call takes.
    ///   - bearer: An Apple access token, if the endpoint requires one.
    ///   - deadline: The caller's own deadline, if it is before `timeout`.
    func post(
        _ path: String, _ form: KeyValuePairs<String, String?>, of share: AppleShare, bearer: String? = nil,
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> Answer {
        var headers: HTTPHeaders = ["content-type": "application/x-www-form-urlencoded"]
        if let bearer { headers.add(name: "authorization", value: "Bearer \(bearer)") }
        let body = ByteBuffer(string: Form.encode(form))
        // The other half of the time is for the call itself. A call that started at the deadline would use up a code
        // without a result.
        let half = min(timeout, deadline.map { $0 - .now } ?? timeout) / 2
        try await places.take(share, by: .now + min(patience, half))
        defer { places.giveBack(share) }
        return try await send(.POST, path, headers, body, by: deadline)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders = [:], _ body: ByteBuffer? = nil, by deadline: ContinuousClock.Instant?
    ) async throws(AppleError) -> Answer {
        var headers = headers
        headers.add(name: "accept", value: "application/json")
        headers.add(name: "user-agent", value: "espalier")
        do {
            let request = try HTTPClient.Request(
                url: baseURL + path, method: method, headers: headers, body: body.map { .byteBuffer($0) })
            let response = try await exchange(request, within: min(timeout, deadline.map { $0 - .now } ?? timeout))
            guard response.history.count == 1 else { throw AppleError.nonsense("it is a redirect") }
            return Answer(
                status: Int(response.status.code), date: response.headers.first(name: "date"),
                retryAfter: response.headers.first(name: "retry-after").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 },
                body: response.body.map { Array(buffer: $0) } ?? [])
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

    /// Sends a request and reads the whole response. The limit covers both.
    ///
    /// The HTTP client's `async` functions limit only the time to the head of the response, and need three more tasks.
    private func exchange(_ request: HTTPClient.Request, within limit: Duration) async throws -> HTTPClient.Response {
        let task = http.execute(
            request: request, delegate: ResponseAccumulator(request: request, maxBodySize: Self.largestBody),
            deadline: .now() + TimeAmount(limit))
        let response = try await withTaskCancellationHandler {
            try await task.get()
        } onCancel: {
            task.cancel()
        }
        try Task.checkCancellation()
        return response
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
    ]

    private static func name(_ error: any Error) -> AppleError {
        if Task.isCancelled { return .cancelled }
        return switch error {
        case let error as AppleError: error
        case is ResponseAccumulator.ResponseTooBigError: .nonsense("it is longer than 64 KiB")
        case HTTPParserError.invalidEOFState: .unreachable
        case is HTTPParserError: .nonsense("it is not HTTP")
        case let error as HTTPClientError where timeouts.contains(error): .timedOut
        default: .unreachable
        }
    }
}
