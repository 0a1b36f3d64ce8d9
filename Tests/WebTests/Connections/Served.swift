import Hummingbird
import Logging
import NIOCore
import NIOPosix

@testable import Web

/// A server with one responder, and connections that send bytes unchanged.
struct Served {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        var loop: any EventLoop { channel.eventLoop }

        init(source: Source) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    let port: Int

    /// Runs the server while the body runs.
    /// - Parameter lastTime: See `ConnectionLimits`.
    static func run(
        lastTime: TimeAmount = .seconds(2),
        _ respond: @escaping @Sendable (Request, Context) async throws -> Response,
        _ body: @escaping @Sendable (Served) async throws -> Void
    ) async throws {
        var limits = ConnectionLimits(total: 10, perAddress: nil)
        limits.lastTime = lastTime
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = GuardedServer(
            CallbackResponder(callback: respond), host: "127.0.0.1", port: 0, limits: limits,
            counting: OpenConnections(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            for await port in ports {
                try await body(Served(port: port))
                break
            }
            group.cancelAll()
        }
    }

    /// A connection, from the caller's side.
    struct Connection {
        let channel: any Channel
        private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var received = ByteBuffer()

        fileprivate init(
            _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
            _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) {
            (self.channel, self.inbound, self.outbound) = (channel, inbound.makeAsyncIterator(), outbound)
        }

        func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

        /// Sends no more.
        func finish() { outbound.finish() }

        /// Reads until the text ends so. Without an end, until the server closes.
        mutating func read(until end: String? = nil) async throws -> String {
            while end.map({ received.getBytes(at: received.writerIndex - $0.utf8.count, length: $0.utf8.count) != Array($0.utf8) }) ?? true
            {
                guard let more = try await inbound.next() else { break }
                received.writeImmutableBuffer(more)
            }
            defer { received.clear() }
            return String(buffer: received)
        }
    }

    func connect<Result: Sendable>(_ body: (inout Connection) async throws -> Result) async throws -> Result {
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            var connection = Connection(client.channel, inbound, outbound)
            return try await body(&connection)
        }
    }

    /// Sends the pieces one after the other, and reads until the server closes.
    func send(_ pieces: String...) async throws -> String {
        try await connect { connection in
            for piece in pieces { try await connection.send(piece) }
            return try await connection.read()
        }
    }
}
