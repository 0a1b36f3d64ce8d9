import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Web

@Suite("Loop executor")
struct LoopExecutorTests {
    private struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let loop: any EventLoop

        init(source: Source) {
            coreContext = CoreRequestContextStorage(source: source)
            loop = source.channel.eventLoop
        }
    }

    @Test("a request runs on the event loop of its connection, also after it was suspended")
    func loop() async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder { (_: Request, context: Context) in
                var places = [context.loop.inEventLoop]
                await Task.detached {}.value
                places.append(context.loop.inEventLoop)
                async let child = context.loop.inEventLoop
                places.append(await child)
                return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "\(places)")))
            },
            server: .guarded(ConnectionLimits(total: 10, perAddress: nil), counting: OpenConnections()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            // Several connections, so that more than one loop has one.
            for _ in 1...4 { #expect(try await Self.response(from: port).hasSuffix("[true, true, true]")) }
            group.cancelAll()
        }
    }

    private static func response(from port: Int) async throws -> String {
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port) {
            channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
        return try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            var text = ""
            for try await bytes in inbound { text += String(buffer: bytes) }
            return text
        }
    }
}
