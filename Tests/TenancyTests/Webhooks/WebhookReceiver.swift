import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Outbox
import Postgres
import Server
import Synchronization
import Tenancy
import TestSupport
import Testing

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// An endpoint on 127.0.0.1 that answers as the test at hand says, and remembers what it was sent.
final class WebhookReceiver: Sendable {
    enum Answer: Sendable {
        case status(Int)
        case redirect(to: String)
        /// Nothing at all until `release` is called.
        case held
        /// A body that would take for ever to read.
        case endless
    }

    struct Received: Sendable {
        let path: String
        let headers: HTTPFields
        let body: [UInt8]

        var id: String { header("webhook-id") }
        var timestamp: String { header("webhook-timestamp") }
        var json: [String: any Sendable] {
            (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable]) ?? [:]
        }
        var data: [String: String] { json["data"] as? [String: String] ?? [:] }

        func header(_ name: String) -> String { HTTPField.Name(name).flatMap { headers[$0] } ?? "" }

        /// Each of the signatures, checked as Standard Webhooks tells a receiver to, by code that the sender does not share.
        func isSigned(by secret: String) -> Bool {
            guard secret.hasPrefix("whsec_"), let key = Data(base64Encoded: String(secret.dropFirst(6))) else { return false }
            let message = Data("\(id).\(timestamp).".utf8) + Data(body)
            return header("webhook-signature").split(separator: " ").contains { signature in
                let parts = signature.split(separator: ",", maxSplits: 1)
                guard parts.count == 2, parts[0] == "v1", let code = Data(base64Encoded: String(parts[1])) else { return false }
                return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: SymmetricKey(data: key))
            }
        }
    }

    private struct State {
        var answer = Answer.status(200)
        var received: [Received] = []
        var isReleased = false
    }

    private let state = Mutex(State())
    private let port = Mutex(0)

    var url: String { "http://127.0.0.1:\(port.withLock { $0 })/hook" }
    var received: [Received] { state.withLock { $0.received } }

    func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }
    func release() { state.withLock { $0.isReleased = true } }

    /// Runs a body with a receiver, and stops it.
    static func run<Outcome: Sendable>(_ body: @Sendable (WebhookReceiver) async throws -> Outcome) async throws -> Outcome {
        let receiver = WebhookReceiver()
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let app = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in try await receiver.respond(to: request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) }, logger: quiet)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            let port = try #require(await ports.first { _ in true })
            receiver.port.withLock { $0 = port }
            let result: Result<Outcome, any Error>
            do { result = .success(try await body(receiver)) } catch { result = .failure(error) }
            receiver.release()
            group.cancelAll()
            return try result.get()
        }
    }

    private func respond(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let received = Received(path: request.uri.path, headers: request.headers, body: Array(buffer: body))
        let answer = state.withLock { state in
            state.received.append(received)
            return state.answer
        }
        switch answer {
        case .status(let status): return Response(status: .init(code: status))
        case .redirect(let target): return Response(status: .found, headers: [.location: target])
        case .held:
            try await eventually("it is released") { state.withLock { $0.isReleased } }
            return Response(status: .ok)
        case .endless:
            return Response(
                status: .ok,
                body: ResponseBody { [self] writer in
                    while !state.withLock({ $0.isReleased }) { try await writer.write(ByteBuffer(repeating: 0x20, count: 65536)) }
                    try await writer.finish(nil)
                })
        }
    }
}

/// An endpoint that closes every connection without a word.
func withRudeEndpoint<T>(_ body: (_ url: String) async throws -> T) async throws -> T {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).childChannelInitializer { $0.close() }
        .bind(host: "127.0.0.1", port: 0).get()
    let result: Result<T, any Error>
    do { result = .success(try await body("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/")) } catch { result = .failure(error) }
    try await channel.close()
    return try result.get()
}

/// An endpoint that hears what it is told first, and closes the connection.
/// - Returns: the bytes.
func firstWords(_ body: (_ port: Int) async throws -> Void) async throws -> [UInt8] {
    final class Ear: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let heard = Mutex<[UInt8]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            heard.withLock { $0 += buffer.readableBytesView }
            context.close(promise: nil)
        }
    }
    let ear = Ear()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { $0.pipeline.addHandler(ear) }.bind(host: "127.0.0.1", port: 0).get()
    let result: Result<Void, any Error>
    do { result = .success(try await body(channel.localAddress?.port ?? 0)) } catch { result = .failure(error) }
    try await channel.close()
    try result.get()
    return ear.heard.withLock { $0 }
}

/// A platform whose own worker rests, so that a test says what is done when.
func withWebhooks<T: Sendable>(
    _ body: @Sendable @escaping (TestPlatform, WebhookReceiver) async throws -> T
) async throws -> T {
    try await WebhookReceiver.run { receiver in
        try await TestPlatform.run({
            $0.allowsPrivateWebhooks = true
            $0.outboxConcurrency = 0
        }) { platform in
            try await body(platform, receiver)
        }
    }
}

extension TestPlatform {
    struct MadeWebhook: Sendable {
        let id: String
        let secret: String
        var path: String { "/tenants/acme/webhooks/\(id)" }
    }

    var acmeID: ID<Tenant> {
        get throws { try #require(ID<Tenant>(acme.id)) }
    }

    func webhook(_ url: String, _ events: [String] = ["user.deleted"], tenant: String = "acme") async throws -> MadeWebhook {
        let answer = try await call("POST", "/tenants/\(tenant)/webhooks", ["url": url, "events": events])
        try #require(answer.status == 201, "\(answer.body)")
        return MadeWebhook(id: try #require(answer.json["id"] as? String), secret: try #require(answer.json["secret"] as? String))
    }

    /// Something happens at Acme.
    func emit(_ kind: WebhookEvent.Kind = .userDeleted, _ data: [String: String] = ["user_id": "user_1"], at now: Date = Date())
        async throws
    {
        let database = OwnerDatabase(pool, tenant: try acmeID)
        _ = try await database.run(try WebhookEvent.emit(kind, data: data, owner: database.owner, at: now))
    }

    /// What a process would run.
    func worker(allowsPrivate: Bool = true, timeout: Duration = .seconds(60)) -> OutboxWorker {
        let deliver = DeliverWebhook(pool: pool, keyring: settings.keyring, allowsPrivate: allowsPrivate, timeout: timeout)
        return OutboxWorker(
            pool: pool, prelude: PlatformDatabase.prelude, handlers: [WebhookEvent.outboxKind: deliver.handle], logger: quiet,
            now: { Date() })
    }

    /// The deliveries to an endpoint as the API lists them, the newest first.
    func deliveries(_ webhook: MadeWebhook, _ query: String = "") async throws -> [[String: any Sendable]] {
        let answer = try await call("GET", webhook.path + "/deliveries" + query)
        try #require(answer.status == 200, "\(answer.body)")
        return answer.json["data"] as? [[String: any Sendable]] ?? []
    }

    func outboxRows() async throws -> Int {
        try await ownerPool.run("SELECT count(*) AS n FROM outbox", prelude: PlatformDatabase.prelude).first { try $0.get("n") } ?? -1
    }

    /// How many audit events an action has left at Acme.
    func audited(_ action: String) async throws -> Int {
        try await ownerPool.run(
            "SELECT count(*) AS n FROM audit_event WHERE action = \(action) AND tenant_id = \(try acmeID)",
            prelude: PlatformDatabase.prelude
        ).first { try $0.get("n") } ?? -1
    }
}
