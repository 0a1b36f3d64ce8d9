import NIOCore
import NIOPosix
import TestSupport

/// A connection for requests that no client would send.
enum RawConnection {
    private static func open(_ platform: TestPlatform) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let port = Int(platform.address.split(separator: ":").last ?? "") ?? 0
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Sends bytes unchanged, and reads until the server closes.
    static func send(_ text: String, to platform: TestPlatform) async throws -> String {
        try await open(platform).executeThenClose { inbound, outbound in
            // A server that has read enough may close before the end.
            try? await outbound.write(ByteBuffer(string: text))
            var answer = ByteBuffer()
            do {
                for try await var part in inbound { answer.writeBuffer(&part) }
            } catch is IOError {
                // The server closed while bytes were still being sent.
            }
            return String(buffer: answer)
        }
    }

    /// Sends the begin of a request, does something else, sends the rest, and reads until the server closes.
    static func send(
        _ begin: String, then change: @Sendable () async throws -> Void, _ rest: String, to platform: TestPlatform
    ) async throws -> String {
        try await open(platform).executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: begin))
            try await change()
            try await outbound.write(ByteBuffer(string: rest))
            return await Self.all(inbound)
        }
    }

    /// Sends bytes, and then more bytes repeatedly, until the server closes.
    /// - Returns: The response, and the number of bytes that the server's side accepted.
    static func drip(
        _ text: String, _ drop: String = "a", every pace: Duration = .milliseconds(20), upTo limit: Int = .max, to platform: TestPlatform
    ) async throws -> (answer: String, sent: Int) {
        let connection = try await open(platform)
        return try await connection.executeThenClose { inbound, _ in
            async let answer = Self.all(inbound)
            var sent = 0
            do {
                // The connection's own writer also takes bytes for a moment after the end, and drops them.
                try await connection.channel.writeAndFlush(ByteBuffer(string: text))
                while sent < limit {
                    try await connection.channel.writeAndFlush(ByteBuffer(string: drop))
                    sent += drop.utf8.count
                    // The pace of an attacker. The test ends with the connection.
                    try await Task.sleep(for: pace)
                }
            } catch {
                // The server has closed.
            }
            return (await answer, sent)
        }
    }

    /// Connects several times and sends nothing while the body runs.
    static func holding(_ count: Int, to platform: TestPlatform, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        try await open(platform).executeThenClose { _, _ in try await holding(count - 1, to: platform, body) }
    }

    private static func all(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async -> String {
        var answer = ByteBuffer()
        // The server may close while bytes are still being sent.
        do { for try await var part in inbound { answer.writeBuffer(&part) } } catch {}
        return String(buffer: answer)
    }
}
