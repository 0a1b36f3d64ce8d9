import Foundation
package import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore

/// The outermost layer of every request: names it, turns what was thrown into an answer, writes one
/// line of access log and counts it.
///
/// A refusal that knows its answer (`Problem`, or any `HTTPResponseError` such as an OAuth error) is
/// rendered; anything else is a bug or an outage: the caller gets a 500 that says nothing, the log gets
/// the cause once, under the same request id.
package struct Edge: RouterMiddleware {
    package typealias Context = WebContext

    private let logger: Logger
    private let metrics: Metrics
    private let trustedProxies: Int
    private let action: @Sendable (HTTPRequest.Method, String) -> String?
    private let allowedMethods: @Sendable (String) -> [String]
    private let isOutage: @Sendable (any Error) -> Bool

    /// - Parameters:
    ///   - trustedProxies: how many proxies in front of this server append the address they are called from to `X-Forwarded-For`.
    ///   - action: the `operationId` of a route, by its method and path.
    ///   - allowedMethods: the methods that some route has for a path, for 405 and its `Allow`.
    ///   - isOutage: whether an error means that something we need is down, which is worth another try.
    package init(
        logger: Logger, metrics: Metrics, trustedProxies: Int = 0, action: @Sendable @escaping (HTTPRequest.Method, String) -> String?,
        allowedMethods: @Sendable @escaping (String) -> [String], isOutage: @Sendable @escaping (any Error) -> Bool
    ) {
        (self.logger, self.metrics, self.trustedProxies) = (logger, metrics, trustedProxies)
        (self.action, self.allowedMethods, self.isOutage) = (action, allowedMethods, isOutage)
    }

    package func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let requestID = Self.requestID(from: request.headers[.requestID])
        let forwarded = ForwardedFor.address(in: request.headers[values: .xForwardedFor], behind: trustedProxies)
        // The route is known before anything refuses the request. HEAD is answered by the action of GET.
        let action = context.endpointPath.flatMap { self.action(request.method == .head ? .get : request.method, $0) }
        context.record.note(requestID: requestID, address: forwarded, action: action)

        var response: Response
        do {
            try Self.requireASCIIPath(request)
            try Self.requireLength(request, upTo: context.maxUploadSize)
            response = try await next(request, context)
        } catch let problem as Problem {
            context.record.note(outcome: problem.code.rawValue)
            response = problem.answer(to: request, requestID: requestID)
        } catch let error as HTTPError {
            let problem = problem(for: error, request)
            context.record.note(outcome: problem.code.rawValue)
            response = problem.answer(to: request, requestID: requestID)
        } catch is NIOTooManyBytesError {
            context.record.note(outcome: Problem.Code.tooLarge.rawValue)
            response = Self.tooLarge.response(instance: request.uri.path, requestID: requestID)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        } catch {
            let problem =
                isOutage(error)
                ? Problem(.unavailable, "The database cannot do this at the moment. Try again in a few seconds.")
                : Problem(.unexpected, "Something went wrong here. Quote the request id to the operator.")
            context.record.note(outcome: problem.code.rawValue)
            logger.error("\(problem.code.rawValue)", metadata: ["request_id": "\(requestID)", "cause": "\(error)"])
            response = problem.answer(to: request, requestID: requestID)
        }
        for field in context.record.current.headers { response.headers[field.name] = field.value }
        response.headers[.requestID] = requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        log(request, response.status, context, took: start.duration(to: .now))
        // Whoever asked for the head alone would take a body for the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Refuses a path that is not ASCII, which no URI has (RFC 3986, section 2).
    ///
    /// To the framework, a slash with U+0301 after it is not a slash: it would take what follows for a scheme and a host, and route by
    /// another path than the proxy in front of us has seen.
    private static func requireASCIIPath(_ request: Request) throws(Problem) {
        let target = request.head.path ?? ""
        guard target.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Problem(.invalid, "The path has a character that is not ASCII. Percent-encode it.") }
    }

    /// Refuses a body by its `Content-Length` before the caller sends it. No action reads a larger one.
    private static func requireLength(_ request: Request, upTo limit: Int) throws(Problem) {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
    }

    private static let tooLarge = Problem(.tooLarge, "The body is larger than this server reads. Send up to 65536 bytes.")

    /// Hummingbird's own refusals, in our words.
    private func problem(for error: HTTPError, _ request: Request) -> Problem {
        switch error.status {
        case .notFound:
            let allowed = allowedMethods(request.uri.path)
            guard !allowed.isEmpty else { return Problem(.notFound, "There is nothing at this path.") }
            var problem = Problem(.methodNotAllowed, "This path takes \(allowed.joined(separator: ", ")).")
            problem.headers[.allow] = allowed.joined(separator: ", ")
            return problem
        case .contentTooLarge: return Self.tooLarge
        default: return Problem(.invalid, "The request could not be read.")
        }
    }

    private func log(_ request: Request, _ status: HTTPResponse.Status, _ context: WebContext, took: Duration) {
        let facts = context.record.current
        // Never the path: an unauthenticated caller chooses it.
        let action = facts.action ?? "none"
        metrics.observe(action: action, status: status.code, took: took)
        // The path holds no secret; the query may (codes, states), so it stays out.
        var metadata: Logger.Metadata = [
            "request_id": .string(facts.requestID), "action": .string(action), "method": .string(request.method.rawValue),
            "status": .string(String(status.code)),
            "micros": .string(String(took.components.seconds * 1_000_000 + took.components.attoseconds / 1_000_000_000_000)),
            "outcome": .string(facts.outcome ?? "ok"),
        ]
        if let tenant = facts.tenant { metadata["tenant"] = .string(tenant) }
        if let trace = request.headers[.traceparent], Self.isTraceParent(trace) { metadata["traceparent"] = .string(trace) }
        logger.info("request", metadata: metadata)
    }

    /// W3C Trace Context, version 00: nothing else that a caller sends is logged.
    static func isTraceParent(_ text: String) -> Bool {
        text.wholeASCIIMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/) != nil
    }

    /// A caller's own id when it is sane, else a fresh one.
    static func requestID(from given: String?) -> String {
        if let given, (1...128).contains(given.utf8.count), given.utf8.allSatisfy({ $0.isIDCharacter }) { return given }
        return "req_" + String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension UInt8 {
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
