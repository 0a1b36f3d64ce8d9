import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Everything behind the simulator's routes: what is registered, what is granted, what shall go wrong, and the keys.
///
/// The endpoints are extensions, a file each.
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

    /// Sends notifications. One for the process, since a client must be shut down or live as long; a receiver that is not there is
    /// an answer at once, and a redirect is one too.
    static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    var now: Date { configuration.clock() }

    /// Answers a request of one of Apple's endpoints, with what faults make of it.
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

    /// An OAuth error as Apple writes it, with the reason where only a developer looks.
    func oauthError(_ code: String, _ reason: String) -> Response {
        note(code, reason)
        var response = Response.json(["error": .string(code)], status: .badRequest)
        response.headers[.simulatorReason] = reason
        return response
    }

    /// Logs a refusal: whoever wonders about an `invalid_client` finds why.
    func note(_ error: String, _ reason: String) {
        logger.info("Refused", metadata: ["error": "\(error)", "reason": "\(reason)"])
    }

    /// The fields of a form body of at most 64 KiB; nil when it is none or broken.
    func form(_ request: Request) async throws -> Form? {
        guard request.headers[.contentType]?.begins(withLowercase: "application/x-www-form-urlencoded") == true else { return nil }
        let body = try await request.body.collect(upTo: 65_536)
        return try? Form(String(buffer: body))
    }
}

/// What a handler knows of its request: beside the usual, the connection, so that a fault can cut it.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
