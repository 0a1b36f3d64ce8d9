import NIOCore
import NIOPosix
import Server
import TestSupport

/// A request that no client would send.
enum RawRequest {
    /// Sends bytes unchanged, and reads until the server closes.
    static func send(_ text: String, to platform: TestPlatform) async throws -> String {
        let port = Int(platform.address.split(separator: ":").last ?? "") ?? 0
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var answer = ByteBuffer()
            for try await var part in inbound { answer.writeBuffer(&part) }
            return String(buffer: answer)
        }
    }

    /// The status of a GET with this target and these headers.
    static func status(_ target: String, _ headers: String..., to platform: TestPlatform) async throws -> Int {
        let head = (["GET \(target) HTTP/1.1"] + headers + ["Connection: close", "", ""]).joined(separator: "\r\n")
        let words = try await send(head, to: platform).split(separator: " ", maxSplits: 2)
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }
}
