import Hummingbird
package import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

extension HTTPServerBuilder {
    /// HTTP/1.1 with a `RequestGuard` on each connection.
    package static func guarded(_ limits: ConnectionLimits, counting connections: OpenConnections) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            GuardedChannel(
                base: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: limits.idle)), limits: limits,
                connections: connections)
        }
    }
}

/// Hummingbird's channel, with the guard between the parser and everything else. There the HTTP version and each `Host` line are
/// still visible.
private struct GuardedChannel: ServerChildChannel {
    let base: HTTP1Channel
    let limits: ConnectionLimits
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let (limits, connections) = (limits, connections)
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestGuard(limits, connections: connections), position: .after(parser))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
