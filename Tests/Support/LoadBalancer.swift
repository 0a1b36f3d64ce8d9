import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A load balancer in front of several servers, as docs/failover.md describes it: it sends a new connection to a server whose `/healthz`
/// succeeds, and to another one only if the connection fails. It passes bytes on, and never sends a request twice.
package final class LoadBalancer: Sendable {
    package let port: Int
    private let places: [ServedPlatform.Place]
    private let healthy: Mutex<[Int]>
    private let turn = Atomic(0)
    private let listener = Mutex<(any Channel)?>(nil)
    private let checks = Mutex<Task<Void, Never>?>(nil)

    package init(_ places: [ServedPlatform.Place]) async throws {
        (self.places, port) = (places, FreePorts.take())
        healthy = Mutex(places.map(\.port))
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Nothing is read before the other side is connected.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { [self] client in connect(client, triesLeft: places.count) }
            .bind(host: "127.0.0.1", port: port).get()
        listener.withLock { $0 = channel }
        let task = Task { [places, self] in
            while !Task.isCancelled {
                var found: [Int] = []
                for place in places {
                    if let answer = try? await place.browser.get("\(place.operations)/healthz"), answer.status == 200 {
                        found.append(place.port)
                    }
                }
                healthy.withLock { $0 = found }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        checks.withLock { $0 = task }
    }

    /// Whether the server at this port gets new connections.
    package func uses(_ port: Int) -> Bool { healthy.withLock { $0.contains(port) } }

    package func stop() async throws {
        checks.withLock { $0 }?.cancel()
        try await listener.withLock { $0 }?.close().get()
    }

    private func connect(_ client: any Channel, triesLeft: Int) -> EventLoopFuture<Void> {
        let ports = healthy.withLock { $0 }
        guard !ports.isEmpty, triesLeft > 0 else { return client.close() }
        let port = ports[turn.add(1, ordering: .relaxed).oldValue % ports.count]
        // On the same event loop, so that the two handlers may call each other.
        return ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false).connect(host: "127.0.0.1", port: port)
            .flatMap { server in
                client.eventLoop.makeCompletedFuture {
                    try client.pipeline.syncOperations.addHandler(Pipe(to: server))
                    try server.pipeline.syncOperations.addHandler(Pipe(to: client))
                }
            }
            .flatMapError { _ in self.connect(client, triesLeft: triesLeft - 1) }
    }
}

/// Passes everything on to the other channel. Reads only what that channel has taken.
private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { context.read() }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        other.writeAndFlush(unwrapInboundIn(data)).whenComplete { result in
            switch result {
            case .success: channel.read()
            case .failure: channel.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }
}
