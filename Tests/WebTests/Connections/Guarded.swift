import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import Web

/// One connection with its guard, without the rest of the server.
struct Guarded {
    let channel = EmbeddedChannel()
    private let closed = Box()

    final class Box {
        var isClosed = false
    }

    init(
        _ limits: ConnectionLimits = ConnectionLimits(total: 100, perAddress: 100), from address: String = "192.0.2.1",
        counting connections: OpenConnections = OpenConnections(), isRead: Bool = true,
        report: @escaping @Sendable (RequestGuard.Refused) -> Void = { _ in }
    ) throws {
        let reader = ConnectionReader()
        if isRead { reader.start() }
        try channel.pipeline.syncOperations.addHandlers(
            RequestGuard.handlers(limits, connections: connections, reader: reader, report: report))
        let remote = try SocketAddress(ipAddress: address, port: 1)
        channel.remoteAddress = remote
        let closed = closed
        channel.closeFuture.assumeIsolated().whenComplete { _ in closed.isClosed = true }
        channel.connect(to: remote, promise: nil)
        channel.read()
    }

    var isOpen: Bool {
        channel.embeddedEventLoop.run()
        return !closed.isClosed
    }

    func receive(_ text: String, reading: Bool = true) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        if reading { channel.read() }
    }

    /// As at the graceful stop of a server.
    func stop() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func pass(_ seconds: Int64) {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    }

    func answer(_ status: HTTPResponse.Status) throws {
        try begin(status)
        if channel.isActive { try channel.writeOutbound(ResponsePart.end([:])) }
    }

    /// Writes only the head.
    func begin(_ status: HTTPResponse.Status) throws {
        let fields = HTTPResponse(status: status, headerFields: [.contentLength: "0"])
        try channel.writeOutbound(ResponsePart.head(.init(fields, toHead: false, isOld: false)))
    }

    /// Returns the bytes sent since the last call.
    var sent: String {
        get throws {
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }
    }

    /// The number of requests that were passed on completely.
    var requests: Int {
        get throws {
            var count = 0
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { if case .end = part { count += 1 } }
            return count
        }
    }
}
