import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Web

/// The end of connections when the server stops. The event loop provides the time, so nothing here waits.
@Suite("Server stop")
struct ServerStopTests {
    private static let request = "GET / HTTP/1.1\r\nHost: login.test\r\n\r\n"

    @Test("when the server stops, a connection whose request has not arrived yet gets a response, which is its last")
    func stopBeforeRequest() throws {
        let (silent, begun) = (try Guarded(), try Guarded())
        try begun.receive(String(Self.request.prefix(9)))
        for connection in [silent, begun] {
            connection.stop()
            #expect(connection.isOpen)
        }
        try silent.receive(Self.request)
        try begun.receive(String(Self.request.dropFirst(9)))
        for connection in [silent, begun] {
            #expect(try connection.requests == 1)
            // An action may take longer than a connection may be silent.
            connection.pass(5)
            try connection.answer(.ok)
            let sent = try connection.sent
            #expect(sent.hasPrefix("HTTP/1.1 200 ") && sent.contains("Connection: close"))
            connection.pass(2)
            #expect(!connection.isOpen)
        }
    }

    @Test("when the server stops, an idle connection ends at once, and a silent one after 2 seconds")
    func stopWithoutRequest() throws {
        let (idle, silent, begun) = (try Guarded(), try Guarded(), try Guarded())
        try idle.receive(Self.request)
        try idle.answer(.ok)
        #expect(try !idle.sent.contains("Connection: close"))
        try begun.receive("G")
        for connection in [idle, silent, begun] { connection.stop() }
        #expect(!idle.isOpen)
        for connection in [silent, begun] {
            #expect(connection.isOpen)
            connection.pass(2)
            #expect(!connection.isOpen)
        }
    }

    @Test("when the server stops, a connection that no task reads ends at once")
    func stopBeforeReader() throws {
        let (silent, asked) = (try Guarded(isRead: false), try Guarded(isRead: false))
        try asked.receive(Self.request)
        for connection in [silent, asked] {
            connection.stop()
            #expect(!connection.isOpen)
        }
    }

    @Test("when the server stops, the request in progress is answered, those after it are not, and the connection ends")
    func stopDuringRequests() throws {
        let (line, begun) = (try Guarded(), try Guarded())
        try line.receive(Self.request + Self.request)
        try begun.receive(Self.request)
        try begun.begin(.ok)
        for connection in [line, begun] { connection.stop() }
        try line.answer(.ok)
        #expect(try line.sent.contains("Connection: close"))
        #expect(throws: ChannelError.ioOnClosedChannel) { try line.answer(.ok) }
        try begun.channel.writeOutbound(ResponsePart.end([:]))
        for connection in [line, begun] {
            connection.pass(2)
            #expect(!connection.isOpen)
        }
    }

    @Test("before the server stops, each response is the last one of its connection")
    func ending() throws {
        let connections = OpenConnections()
        let connection = try Guarded(counting: connections)
        try connection.receive(Self.request)
        try connection.answer(.ok)
        #expect(try !connection.sent.contains("Connection: close"))
        connections.end()
        #expect(connection.isOpen)
        try connection.receive(Self.request)
        try connection.answer(.ok)
        #expect(try connection.sent.contains("Connection: close"))
        connection.pass(2)
        #expect(!connection.isOpen)
    }
}
