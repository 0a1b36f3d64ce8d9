import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
import Web

/// One request to an address that a tenant or an operator has set, with a time limit. It carries a webhook's message, a logout token or
/// usage, or asks about usage.
///
/// It resolves the name in the URL, checks the addresses, and connects to a checked address. So a name that resolves differently a moment
/// later has no effect. `Host` and the certificate check still use the name.
///
/// Each attempt has its own client, because the address belongs to a client's configuration. The client shares nothing with calls to Apple,
/// uses no proxy from the environment, and follows no redirect.
package struct OutgoingRequest: Sendable {
    let url: String
    let headers: [(name: String, value: String)]
    /// The body of a POST. Nil means a GET.
    let body: [UInt8]?
    let allowsPrivate: Bool
    /// Whether a URL without TLS is allowed, for a public document.
    let allowsPlain: Bool
    /// Looks up the addresses of a name, as literals.
    let lookUp: @Sendable (_ name: String) async throws -> [String]

    /// - Parameters:
    /// - headers: sent in addition to `User-Agent` and the headers of HTTP itself.
    /// - body: the body of a POST. Without one, the request is a GET.
    /// - allowsPrivate: whether private networks and URLs without TLS are allowed. For development.
    /// - allowsPlain: whether a URL without TLS is allowed, for a public document.
    /// - lookUp: looks up the addresses of a name. Default: the system's resolver.
    package init(
        url: String, headers: [(name: String, value: String)], body: [UInt8]?, allowsPrivate: Bool, allowsPlain: Bool = false,
        lookUp: (@Sendable (_ name: String) async throws -> [String])? = nil
    ) {
        (self.url, self.headers, self.body, self.allowsPrivate) = (url, headers, body, allowsPrivate)
        (self.allowsPlain, self.lookUp) = (allowsPlain, lookUp ?? { try await NameLookup.addresses(of: $0) })
    }

    package enum Answer: Sendable {
        case status(Int)
        case failure(Failure)
    }

    /// The reason for a missing response.
    package enum Failure: String, Sendable {
        case nameNotResolved = "name_not_resolved"
        /// The name resolves to an address in a network that is not public.
        case addressRefused = "address_refused"
        case connectionFailed = "connection_failed"
        case tlsFailed = "tls_failed"
        case timedOut = "timed_out"
        case noHTTP = "no_http"
    }

    /// Sends the request without reading the response body.
    /// - Throws: `CancellationError`.
    package func send(within limit: Duration) async throws -> Answer {
        try await ask(within: limit, reading: 0, of: 400..<500).answer
    }

    /// The details of a request, for callers that need more than the response status.
    package struct Outcome: Sendable {
        package let answer: Answer
        /// The start of the body, for the statuses whose body is read.
        package fileprivate(set) var body: [UInt8] = []
        /// The wait in `Retry-After` (RFC 9110, section 10.2.3).
        package fileprivate(set) var retryAfter: Duration?
        /// Whether the receiver may have received the request. False if no connection was made.
        package fileprivate(set) var mayHaveArrived = true
    }

    /// The response, with the body for statuses whose body decides the next step.
    /// - Parameters:
    /// - bytes: the limit of a body, in bytes. The rest is not read.
    /// - statuses: the statuses whose body is read.
    /// - Throws: `CancellationError`.
    package func ask(within limit: Duration, reading bytes: Int, of statuses: Range<Int>) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await exchange(reading: bytes, of: statuses) }
            group.addTask {
                try await Task.sleep(for: limit)
                return Outcome(answer: .failure(.timedOut))
            }
            guard let answer = try await group.next() else { throw CancellationError() }
            try Task.checkCancellation()
            return answer
        }
    }

    private func exchange(reading bytes: Int, of statuses: Range<Int>) async throws -> Outcome {
        // This is the host as the client reads it. Otherwise the client would not use the checked address for it. A URL that was accepted
        // on a development server must not pass on another server.
        guard HostName.inURL(url).map({ HostName.isHost($0) }) == true, let parts = URL(string: url), let host = parts.host,
            allowsPrivate || allowsPlain || parts.scheme == "https"
        else { return Outcome(answer: .failure(.addressRefused), mayHaveArrived: false) }
        let found = try await lookUp(host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")))
        guard !found.isEmpty else { return Outcome(answer: .failure(.nameNotResolved), mayHaveArrived: false) }
        let allowed = allowsPrivate ? found : found.filter { PublicAddress.bytes(of: $0).map(PublicAddress.isPublic) ?? false }
        var last = Failure.addressRefused
        for address in allowed.prefix(4) {
            do {
                return try await outcome(of: host, at: address, reading: bytes, of: statuses)
            } catch {
                if Task.isCancelled { throw CancellationError() }
                last = Self.failure(error)
                guard Self.neverConnected(error) else { return Outcome(answer: .failure(last), mayHaveArrived: last != .tlsFailed) }
            }
        }
        return Outcome(answer: .failure(last), mayHaveArrived: false)
    }

    private func outcome(of host: String, at address: String, reading bytes: Int, of statuses: Range<Int>) async throws -> Outcome {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.dnsOverride = [host: address]
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome: Result<Outcome, any Error>
        do {
            // For most requests the status is enough. The body is not read, and ends with the connection.
            let response = try await http.execute(request, deadline: .distantFuture)
            let status = Int(response.status.code)
            outcome = .success(
                Outcome(
                    answer: .status(status), body: statuses.contains(status) ? await Self.beginning(of: response.body, bytes) : [],
                    retryAfter: response.headers.first(name: "retry-after").flatMap { Self.wait($0, from: Date()) }))
        } catch {
            outcome = .failure(error)
        }
        try? await http.shutdown()
        return try outcome.get()
    }

    /// Reads a body up to a limit.
    private static func beginning(of body: HTTPClientResponse.Body, _ limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        guard limit > 0 else { return bytes }
        do {
            for try await part in body {
                bytes += part.readableBytesView.prefix(limit - bytes.count)
                if bytes.count == limit { break }
            }
        } catch {}
        return bytes
    }

    /// Reads `Retry-After`: a number of seconds, or a date.
    package static func wait(_ text: String, from now: Date) -> Duration? {
        if let seconds = Int(text) { return (0...86400).contains(seconds) ? .seconds(seconds) : seconds < 0 ? nil : .seconds(86400) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { .seconds(min(max($0.timeIntervalSince(now), 0), 86400)) }
    }

    private var request: HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = body == nil ? .GET : .POST
        request.headers.add(name: "user-agent", value: "espalier")
        // The client serves one request, so the receiver need not keep the connection.
        request.headers.add(name: "connection", value: "close")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        return request
    }

    /// Whether no connection was made, so that another address can be tried without sending the request twice.
    private static func neverConnected(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout
        case let error as IOError: [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains(error.errnoCode)
        default: false
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout: .timedOut
        case let error as HTTPClientError where error == .tlsHandshakeTimeout: .tlsFailed
        // The receiver closed the connection before it responded.
        case HTTPParserError.invalidEOFState: .connectionFailed
        case is HTTPParserError: .noHTTP
        // The TLS library's own errors. Only the client depends on that library, so its types are unavailable here.
        case _ where String(reflecting: type(of: error)).hasPrefix("NIOSSL."): .tlsFailed
        default: .connectionFailed
        }
    }
}
