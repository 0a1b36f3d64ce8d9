import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import Testing

@testable import Apple

/// Requests to Apple as few writes. The event loop provides the time, so nothing here waits.
@Suite("One write")
struct OneWriteTests {
    /// Counts the flushes that reach the socket.
    private final class Flushes: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func flush(context: ChannelHandlerContext) {
            count += 1
            context.flush()
        }
    }

    private let channel = EmbeddedChannel()
    private let flushes = Flushes()

    init() throws {
        try OneWrite.install(on: channel).wait()
        try channel.pipeline.syncOperations.addHandler(flushes, position: .first)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    @Test("each connection to Apple gets it")
    func everyConnection() throws {
        let configuration = AppleClient.httpConfiguration(for: AppleSettings())
        for found in [configuration.http1_1ConnectionDebugInitializer, configuration.http2ConnectionDebugInitializer] {
            let channel = EmbeddedChannel()
            let install = try #require(found)
            try install(channel).wait()
            _ = try channel.pipeline.syncOperations.handler(type: OneWrite.self)
        }
    }

    @Test("all connections to Apple are on one event loop, because a released connection must not pass through another one")
    func oneLoop() async throws {
        let http = AppleClient.makeHTTP(AppleClient.httpConfiguration(for: AppleSettings()))
        let loops = Array(http.eventLoopGroup.makeIterator())
        try await http.shutdown()
        #expect(loops.count == 1)
    }

    @Test("a head and a body that are flushed in one turn are one write")
    func oneTurn() throws {
        channel.writeAndFlush(ByteBuffer(string: "head"), promise: nil)
        channel.writeAndFlush(ByteBuffer(string: "body"), promise: nil)
        #expect(flushes.count == 0)
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 1)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "head"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "body"))

        channel.writeAndFlush(ByteBuffer(string: "next"), promise: nil)
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 2)
    }

    @Test("what was flushed is sent before the connection ends")
    func end() throws {
        channel.writeAndFlush(ByteBuffer(string: "last"), promise: nil)
        channel.close(promise: nil)
        #expect(flushes.count == 1)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "last"))
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 1)
    }
}
