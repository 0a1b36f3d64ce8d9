import NIOCore
import NIOPosix

/// Finds free loopback ports. The kernel assigns them, and they are released for the processes that will use them.
enum FreePorts {
    static func find(_ count: Int) async throws -> [Int] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = channels.compactMap { $0.localAddress?.port }
        for channel in channels { try await channel.close() }
        return ports
    }
}
