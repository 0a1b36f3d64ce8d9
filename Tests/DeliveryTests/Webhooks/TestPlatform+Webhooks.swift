import Access
import AuthKit
import Delivery
import Foundation
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

/// A webhook's URL that no test calls.
let unusedURL = "https://hooks.example.com/espalier"

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// An endpoint that closes every connection without a response.
func withRudeEndpoint<T>(_ body: (_ url: String) async throws -> T) async throws -> T {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).childChannelInitializer { $0.close() }
        .bind(host: "127.0.0.1", port: 0).get()
    let result: Result<T, any Error>
    do { result = .success(try await body("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/")) } catch { result = .failure(error) }
    try await channel.close()
    return try result.get()
}

/// An endpoint that reads the first bytes and closes the connection.
/// - Returns: the bytes.
func firstWords(_ body: (_ port: Int) async throws -> Void) async throws -> [UInt8] {
    final class Receiver: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let received = Mutex<[UInt8]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            received.withLock { $0 += buffer.readableBytesView }
            context.close(promise: nil)
        }
    }
    let receiver = Receiver()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { $0.pipeline.addHandler(receiver) }.bind(host: "127.0.0.1", port: 0).get()
    let result: Result<Void, any Error>
    do { result = .success(try await body(channel.localAddress?.port ?? 0)) } catch { result = .failure(error) }
    try await channel.close()
    try result.get()
    return receiver.received.withLock { $0 }
}

/// A platform whose own worker is idle, so that a test decides on each pass.
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

    /// Emits an event at Acme.
    func emit(_ kind: WebhookEvent.Kind = .userDeleted, _ data: [String: String] = ["user_id": "user_1"], at now: Date = Date())
        async throws
    {
        let database = OwnerDatabase(pool, tenant: try acmeID)
        _ = try await database.run(try WebhookEvent.emit(kind, data: data, owner: database.owner, at: now))
    }

    /// The worker that a process would run.
    func worker(allowsPrivate: Bool = true, timeout: Duration = .seconds(60)) -> OutboxWorker {
        let deliver = DeliverWebhook(
            databases: OwnerDatabases(pool), keyring: settings.keyring, allowsPrivate: allowsPrivate,
            workOSBody: WorkOSDelivery.body, timeout: timeout)
        return OutboxWorker(
            pool: pool, prelude: PlatformDatabase.prelude, handlers: [WebhookEvent.outboxKind: deliver.handle], logger: quiet,
            now: { Date() })
    }

    /// The deliveries to an endpoint as the API lists them, newest first.
    func deliveries(_ webhook: MadeWebhook, _ query: String = "") async throws -> [[String: any Sendable]] {
        let answer = try await call("GET", webhook.path + "/deliveries" + query)
        try #require(answer.status == 200, "\(answer.body)")
        return answer.json["data"] as? [[String: any Sendable]] ?? []
    }

    func outboxRows() async throws -> Int {
        try await ownerPool.run("SELECT count(*) AS n FROM outbox", prelude: PlatformDatabase.prelude).first { try $0.get("n") } ?? -1
    }

    /// The number of Acme's audit events of an action.
    func audited(_ action: String) async throws -> Int {
        try await ownerPool.run(
            "SELECT count(*) AS n FROM audit_event WHERE action = \(action) AND tenant_id = \(try acmeID)",
            prelude: PlatformDatabase.prelude
        ).first { try $0.get("n") } ?? -1
    }
}
