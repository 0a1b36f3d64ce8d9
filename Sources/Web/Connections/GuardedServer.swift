import Hummingbird
package import HummingbirdCore
package import Logging
import NIOCore
import NIOHTTP1
import Synchronization

extension HTTPServerBuilder {
    /// HTTP/1.1 with a `RequestGuard` on each connection.
    package static func guarded(_ limits: ConnectionLimits, counting connections: OpenConnections) -> HTTPServerBuilder {
        guarded(limits, connections) { _ in }
    }

    /// The same. The guard's own refusals are counted. Each has a line in the access log, in the format of `Edge`.
    package static func guarded(_ limits: ConnectionLimits, metrics: Metrics, logger: Logger) -> HTTPServerBuilder {
        guarded(limits, metrics.connections) { refused in
            metrics.observe(action: "none", status: refused.status, took: refused.took)
            guard logger.logLevel <= .info else { return }
            logger.info(
                "request",
                metadata: [
                    "request_id": .string(refused.requestID), "action": "none", "method": .string(refused.method),
                    "status": .string(String(refused.status)), "micros": .string(String(Int64(refused.took / .microseconds(1)))),
                    "outcome": .string(refused.outcome),
                ])
        }
    }

    private static func guarded(
        _ limits: ConnectionLimits, _ connections: OpenConnections, report: @escaping @Sendable (RequestGuard.Refused) -> Void
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            GuardedChannel(
                base: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: limits.idle)), limits: limits,
                connections: connections, report: report)
        }
    }
}

/// Hummingbird's channel, with the guard between the parser and everything else. The HTTP version and each `Host` line are still
/// visible there.
private struct GuardedChannel: ServerChildChannel {
    let base: HTTP1Channel
    let limits: ConnectionLimits
    let connections: OpenConnections
    let report: @Sendable (RequestGuard.Refused) -> Void

    struct Value: ServerChildChannelValue {
        let base: HTTP1Channel.Value
        let reader: ConnectionReader

        var channel: any Channel { base.channel }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let (limits, connections, report) = (limits, connections, report)
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let reader = ConnectionReader()
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(
                RequestGuard(limits, connections: connections, reader: reader, report: report), position: .after(parser))
            return Value(base: value, reader: reader)
        }
    }

    func handle(value: Value, logger: Logger) async {
        value.reader.start()
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value.base, logger: logger)
        }
    }
}

/// Whether a task reads the requests of a connection. When the server stops, it drops the connections that it has accepted but not given to
/// a task yet.
final class ConnectionReader: Sendable {
    private let started = Atomic(false)

    var hasStarted: Bool { started.load(ordering: .relaxed) }

    func start() { started.store(true, ordering: .relaxed) }
}
