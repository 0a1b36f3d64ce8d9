#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOHTTP1
package import ServiceLifecycle
import Synchronization

/// A port that speaks HTTP/1.1, with a `RequestGuard` on each connection. It stops gracefully: it finishes its open requests.
package struct GuardedServer<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let connections: GuardedConnections<Responder>
    private let address: BindAddress
    private let onListening: @Sendable (_ port: Int) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - onListening: Gets the port as soon as it accepts connections.
    package init(
        _ responder: Responder, host: String, port: Int, limits: ConnectionLimits, counting open: OpenConnections, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) -> Void
    ) {
        self.init(responder, host, port, limits, open, logger, report: { _ in }, onListening)
    }

    /// The same. The guard's own refusals are counted. Each has a line in the access log, in the format of `Edge`.
    package init(
        _ responder: Responder, host: String, port: Int, limits: ConnectionLimits, metrics: Metrics, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) -> Void
    ) {
        self.init(
            responder, host, port, limits, metrics.connections, logger,
            report: { refused in
                metrics.observe(action: "none", status: refused.status, took: refused.took)
                guard logger.logLevel <= .info else { return }
                logger.info(
                    "request",
                    metadata: [
                        "request_id": .string(refused.requestID), "action": "none", "method": .string(refused.method),
                        "status": .string(String(refused.status)), "micros": .string(String(Int64(refused.took / .microseconds(1)))),
                        "outcome": .string(refused.outcome),
                    ])
            }, onListening)
    }

    private init(
        _ responder: Responder, _ host: String, _ port: Int, _ limits: ConnectionLimits, _ open: OpenConnections, _ logger: Logger,
        report: @escaping @Sendable (RequestGuard.Refused) -> Void, _ onListening: @escaping @Sendable (_ port: Int) -> Void
    ) {
        connections = GuardedConnections(responder: responder, limits: limits, open: open, report: report)
        (address, self.logger, self.onListening) = (.hostname(host, port: port), logger, onListening)
    }

    package func run() async throws {
        let server = connections.server(
            configuration: ServerConfiguration(address: address), onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup, logger: logger)
        try await server.run()
    }
}

/// The connections of a port.
private struct GuardedConnections<Responder: HTTPResponder>: ServerChildChannel
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    let limits: ConnectionLimits
    let open: OpenConnections
    let report: @Sendable (RequestGuard.Refused) -> Void

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let conversation: NIOLoopBound<Conversation>
        let reader: ConnectionReader
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try limitBuffers(channel)
            let (conversation, reader) = (Conversation(on: channel.eventLoop), ConnectionReader())
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(RequestGuard.handlers(limits, connections: open, reader: reader, report: report))
            try pipeline.addHandler(conversation)
            return Value(channel: channel, conversation: NIOLoopBound(conversation, eventLoop: channel.eventLoop), reader: reader)
        }
    }

    private func limitBuffers(_ channel: any Channel) throws {
        let options = channel.syncOptions
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: limits.read))
        try options?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: limits.unsent)
    }

    func handle(value: Value, logger: Logger) async {
        value.reader.start()
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) { await answer(value, logger) }
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }

    /// Answers the requests of a connection in their order.
    private func answer(_ value: Value, _ logger: Logger) async {
        let (channel, conversation) = (value.channel, value.conversation.value)
        while let taken = await conversation.request() {
            let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response: Response
            do {
                response = try await responder.respond(to: taken.request, context: context)
            } catch {
                logger.error("A request failed.", metadata: ["cause": "\(error)"])
                response = Response(status: .internalServerError)
            }
            var bytes = ResponseBytes(response.head, to: taken, in: value.conversation, on: channel.eventLoop)
            do {
                try await bytes.begin()
                try await response.body.write(bytes)
            } catch {
                // The body has logged the cause.
            }
            guard conversation.isAnswered else {
                // So that the caller knows that the response is incomplete. An error means that the connection has already ended.
                try? await channel.close()
                break
            }
        }
        conversation.write(.last)
        // Its error is that of the connection, which has ended either way.
        try? await channel.closeFuture.get()
    }
}

extension RequestGuard {
    /// The guard, between the handlers that read and write HTTP.
    static func handlers(
        _ limits: ConnectionLimits, connections: OpenConnections, reader: ConnectionReader, report: @escaping @Sendable (Refused) -> Void
    ) -> [any ChannelHandler] {
        var parser = NIOHTTPDecoderLimitConfiguration()
        (parser.maxHeaderFieldSize, parser.maxHeaderListSize, parser.maxHeaderFieldCount) = (80 * 1024, 80 * 1024, 1000)
        return [
            ResponseEncoder(),
            // The parser never takes the bytes after a request to change the protocol, so their number needs a limit.
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: parser), maximumBufferSize: 256 * 1024),
            LastBytes(limits), RequestGuard(limits, connections: connections, reader: reader, report: report),
        ]
    }
}

/// Whether a task reads the requests of a connection. When the server stops, it drops the connections that it has accepted but not given to
/// a task yet.
final class ConnectionReader: Sendable {
    private let started = Atomic(false)

    var hasStarted: Bool { started.load(ordering: .relaxed) }

    func start() { started.store(true, ordering: .relaxed) }
}
