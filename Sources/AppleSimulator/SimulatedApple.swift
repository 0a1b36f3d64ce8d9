import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// The state behind the simulator's routes: the registry, the grants, the faults, and the keys.
///
/// Each endpoint is an extension in its own file.
final class SimulatedApple: Sendable {
    struct State: Sendable {
        var registry: Registry
        var grants = Grants()
        var faults = FaultPlan()
        var transfers = Transfers()
    }

    let configuration: AppleSimulator.Configuration
    let state: Mutex<State>
    let signingKeys = SigningKeys()
    let logger: Logger

    init(_ configuration: AppleSimulator.Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        state = Mutex(State(registry: configuration.registry))
    }

    /// Sends notifications. One client for the process, because a client must be shut down or live as long as the process. A
    /// missing receiver and a redirect are immediate results.
    static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    var now: Date { configuration.clock() }

    /// Answers a request to one of Apple's endpoints, changed by the faults.
    func answer(
        _ endpoint: Fault.Endpoint, clientID: String?, context: SimulatorContext,
        _ work: ([Fault.Effect]) async throws -> Response
    ) async throws -> Response {
        let faults = state.withLock { $0.faults.meet(endpoint, clientID: clientID) }
        if faults.isEmpty { return try await work([]) }
        for fault in faults {
            switch fault {
            case .slow(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
            case .rotateKeys: try await signingKeys.rotate()
            case .clock(let seconds): try await WrongDate.send(now + Double(seconds), over: context.channel)
            case .status(let code, let seconds):
                var response = Response.page(Pages.brokenByFault(status: code), status: HTTPResponse.Status(code: code))
                response.headers[.retryAfter] = seconds.map(String.init)
                return response
            case .drop:
                try await context.channel.close().get()
                throw HTTPError(.internalServerError)
            default: continue
            }
        }
        var response = try await work(faults)
        if faults.contains(where: { if case .malformedJSON = $0 { true } else { false } }) {
            response.body = ResponseBody(byteBuffer: ByteBuffer(string: #"{"keys": [{"kty": "RSA", "access_token": "#))
        }
        return response
    }

    /// Returns an OAuth error in Apple's format, with the reason in a header for developers.
    func oauthError(_ code: String, _ reason: String) -> Response {
        note(code, reason)
        var response = Response.json(["error": .string(code)], status: .badRequest)
        response.headers[.simulatorReason] = reason
        return response
    }

    /// Logs the reason of a refusal, such as an `invalid_client`.
    func note(_ error: String, _ reason: String) {
        logger.info("Refused", metadata: ["error": "\(error)", "reason": "\(reason)"])
    }

    /// Returns the fields of a form body of at most 64 KiB; nil for any other body.
    func form(_ request: Request) async throws -> Form? {
        guard request.headers[.contentType]?.begins(withLowercase: "application/x-www-form-urlencoded") == true else { return nil }
        let body = try await request.body.collect(upTo: 65_536)
        return try? Form(String(buffer: body))
    }
}

/// The context of a request. In addition to the usual content, it has the connection, so that a fault can cut it.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
