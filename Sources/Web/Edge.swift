import Encoding
import Foundation
package import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore

/// The outermost layer of every request. It names the request, turns errors into responses, writes one line of access
/// log, and counts the request.
///
/// An error with its own response (`Problem`, or any `HTTPResponseError` such as an OAuth error) is rendered. Any
/// other error is a bug or an outage. Then the caller receives a 500 without details, and the log contains the cause
/// once, under the same request ID.
package struct Edge: RouterMiddleware {
    package typealias Context = WebContext

    private let logger: Logger
    private let metrics: Metrics
    private let trustedProxies: Int
    private let largestBodies: [String: Int]
    private let allowedMethods: @Sendable (String, OwnHost?) -> [String]
    private let isOutage: @Sendable (any Error) -> Bool
    private let page: @Sendable (Problem, Request, _ requestID: String) -> Response?

    /// - Parameters:
    /// - trustedProxies: The number of proxies in front of this server that append the address of their caller to
    ///   `X-Forwarded-For`.
    /// - largestBodies: The actions whose bodies may be larger than usual, with the number of bytes.
    /// - allowedMethods: The methods of the routes with a path, at a tenant's own host or the public URL, for 405 and its `Allow`.
    /// - isOutage: Whether an error means that a required service is down, so that a retry makes sense.
    /// - page: The page of an error for a person who opens an address; nil for a program, which gets JSON.
    package init(
        logger: Logger, metrics: Metrics, trustedProxies: Int = 0, largestBodies: [String: Int] = [:],
        allowedMethods: @Sendable @escaping (String, OwnHost?) -> [String],
        isOutage: @Sendable @escaping (any Error) -> Bool,
        page: @Sendable @escaping (Problem, Request, _ requestID: String) -> Response? = { _, _, _ in nil }
    ) {
        (self.logger, self.metrics, self.trustedProxies, self.page) = (logger, metrics, trustedProxies, page)
        (self.largestBodies, self.allowedMethods, self.isOutage) = (largestBodies, allowedMethods, isOutage)
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let requestID = Self.requestID(from: request.headers[.requestID])
        let forwarded =
            trustedProxies == 0 ? nil : ForwardedFor.address(in: request.headers[values: .xForwardedFor], behind: trustedProxies)
        context.record.note(requestID: requestID, address: forwarded)
        let largestBody = context.record.current.action.flatMap { largestBodies[$0] } ?? context.maxUploadSize

        var response: Response
        do {
            try Self.requireASCIIPath(request)
            try Self.requireLength(request, upTo: largestBody)
            response = try await next(request, context)
        } catch let problem as Problem {
            context.record.note(outcome: problem.code.rawValue)
            response = answer(problem, request, requestID)
        } catch let error as HTTPError {
            let problem = problem(for: error, request, at: context.ownHost, largestBody: largestBody)
            context.record.note(outcome: problem.code.rawValue)
            response = answer(problem, request, requestID)
        } catch is NIOTooManyBytesError {
            context.record.note(outcome: Problem.Code.tooLarge.rawValue)
            response = Self.tooLarge(largestBody).response(instance: request.uri.path, requestID: requestID)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        } catch {
            let problem =
                isOutage(error)
                ? Problem(.unavailable, "The database is temporarily unavailable. Retry in a few seconds.")
                : Problem(.unexpected, "An unexpected error occurred. Report the request ID to the operator.")
            context.record.note(outcome: problem.code.rawValue)
            logger.error("\(problem.code.rawValue)", metadata: ["request_id": "\(requestID)", "cause": "\(error)"])
            response = answer(problem, request, requestID)
        }
        let facts = context.record.current
        for field in facts.headers { response.headers.set(field) }
        response.headers.set(HTTPField(name: .requestID, value: requestID))
        response.headers.set(Self.noSniffing)
        log(request, response.status, facts, took: start.duration(to: .now))
        // A caller that requested only the head would read a body as the next response.
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The error in the form for the caller.
    private func answer(_ problem: Problem, _ request: Request, _ requestID: String) -> Response {
        page(problem, request, requestID) ?? problem.response(instance: request.uri.path, requestID: requestID)
    }

    /// Rejects a path that is not ASCII. No URI has such a path (RFC 3986, section 2).
    ///
    /// For the framework, a slash with U+0301 after it is not a slash. It would read the following text as a scheme and a host, and
    /// route by another path than the proxy in front of the server.
    private static func requireASCIIPath(_ request: Request) throws(Problem) {
        let target = request.head.path ?? ""
        guard target.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Problem(.invalid, "The path contains a character that is not ASCII. Percent-encode it.") }
    }

    /// Rejects a body by its `Content-Length` before the caller sends it. No action reads a larger body.
    private static func requireLength(_ request: Request, upTo limit: Int) throws(Problem) {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge(limit) }
    }

    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(.tooLarge, "The body is too large. Send up to \(limit) bytes.")
    }

    /// The responses to Hummingbird's own errors.
    private func problem(for error: HTTPError, _ request: Request, at host: OwnHost?, largestBody: Int) -> Problem {
        switch error.status {
        case .notFound:
            let allowed = allowedMethods(request.uri.path, host)
            guard !allowed.isEmpty else { return .unknownPath }
            var problem = Problem(.methodNotAllowed, "This path supports only \(allowed.joined(separator: ", ")).")
            problem.headers[.allow] = allowed.joined(separator: ", ")
            return problem
        case .contentTooLarge: return Self.tooLarge(largestBody)
        default: return Problem(.invalid, "The request is malformed.")
        }
    }

    private func log(_ request: Request, _ status: HTTPResponse.Status, _ facts: RequestRecord.Facts, took: Duration) {
        // Never the path, because an unauthenticated caller chooses it.
        let action = facts.action ?? "none"
        metrics.observe(action: action, status: status.code, took: took)
        guard logger.logLevel <= .info else { return }
        // The path contains no secret. The query may contain codes and states, so it is left out.
        // Has room for all members. A literal would grow, which means another hash of each name.
        var metadata = Logger.Metadata(minimumCapacity: 8)
        metadata["request_id"] = .string(facts.requestID)
        metadata["action"] = .string(action)
        metadata["method"] = .string(request.method.rawValue)
        metadata["status"] = .string(String(status.code))
        metadata["micros"] = .string(String(took.components.seconds * 1_000_000 + took.components.attoseconds / 1_000_000_000_000))
        metadata["outcome"] = .string(facts.outcome ?? "ok")
        if let tenant = facts.tenant { metadata["tenant"] = .string(tenant) }
        if let trace = request.headers[.traceparent], Self.isTraceParent(trace) { metadata["traceparent"] = .string(trace) }
        logger.info("request", metadata: metadata)
    }

    /// W3C Trace Context, version 00. No other header of the caller is logged.
    static func isTraceParent(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.count == 55 && bytes.starts(with: "00-".utf8)
                && bytes.indices.dropFirst(2).allSatisfy { position in
                    switch position {
                    case 2, 35, 52: bytes[position] == UInt8(ascii: "-")
                    default: bytes[position].isLowercaseHexadecimal
                    }
                }
        }
    }

    /// The caller's own ID if it is valid, otherwise a new ID.
    static func requestID(from given: String?) -> String {
        if let given, (1...128).contains(given.utf8.count), given.utf8.allSatisfy({ $0.isIDCharacter }) { return given }
        return "req_" + RandomText.make()
    }
}

extension UInt8 {
    fileprivate var isLowercaseHexadecimal: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }

    fileprivate var isIDCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension HTTPField.Name {
    package static let requestID = HTTPField.Name("Request-Id")!
    package static let traceparent = HTTPField.Name("traceparent")!
    package static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    package static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
    package static let rateLimit = HTTPField.Name("RateLimit")!
    package static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}

extension HTTPFields {
    /// Replaces the fields with this name. The subscript costs several times as much if no field has this name yet.
    mutating func set(_ field: HTTPField) {
        if contains(field.name) { self[field.name] = field.value } else { append(field) }
    }
}
