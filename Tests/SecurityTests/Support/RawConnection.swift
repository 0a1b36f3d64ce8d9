import NIOCore
import NIOPosix
import TestSupport

/// A connection for what no client would send.
enum RawConnection {
    /// Sends bytes as they are, and reads until the server closes.
    static func send(_ text: String, to platform: TestPlatform) async throws -> String {
        let port = Int(platform.address.split(separator: ":").last ?? "") ?? 0
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // A server that has seen enough may hang up before the end.
            try? await outbound.write(ByteBuffer(string: text))
            var answer = ByteBuffer()
            do {
                for try await var part in inbound { answer.writeBuffer(&part) }
            } catch is IOError {
                // It hung up on what was still being sent.
            }
            return String(buffer: answer)
        }
    }
}
