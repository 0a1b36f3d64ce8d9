import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import Web

/// The ends of responses and of connections.
@Suite("Last response")
struct LastResponseTests {
    private static let host = "Host: login.test\r\n"
    private static let end = "Connection: close\r\n"

    private static func stream(
        _ headers: HTTPFields = [:], _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(status: .ok, headers: headers, body: ResponseBody(write))
    }

    @Test("a stream without a byte ends, and the next response follows")
    func emptyStream() async throws {
        try await Served.run { request, _ in
            Self.stream { writer in try await writer.finish(nil) }
        } _: { served in
            let answer = try await served.send(
                "GET /1 HTTP/1.1\r\n\(Self.host)\r\nGET /2 HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            let parts = answer.components(separatedBy: "HTTP/1.1 200 OK").dropFirst()
            #expect(parts.count == 2 && parts.allSatisfy { $0.hasSuffix("\r\n\r\n0\r\n\r\n") })
        }
    }

    @Test("RFC 9110, 6.5: trailers follow the last chunk, also without a chunk, and are left out without chunks")
    func trailers() async throws {
        try await Served.run { request, _ in
            let isEmpty = request.head.path == "/empty"
            return Self.stream { writer in
                if !isEmpty { try await writer.write(ByteBuffer(string: "abc")) }
                try await writer.finish([.init("Export-Rows")!: "3"])
            }
        } _: { served in
            let chunked = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(chunked.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\nExport-Rows: 3\r\n\r\n"))
            let empty = try await served.send("GET /empty HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(empty.hasSuffix("\r\n\r\n0\r\nExport-Rows: 3\r\n\r\n"))
            let old = try await served.send("GET / HTTP/1.0\r\n\r\n")
            #expect(old.hasSuffix("\r\n\r\nabc"))
        }
    }

    @Test("a request whose connection has closed before its task started is not answered")
    func closedBeforeTask() async throws {
        let channel = EmbeddedChannel()
        let conversation = Conversation(on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(conversation)
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/")))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "a")))
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(await conversation.request() == nil)
    }

    @Test("a caller that reads slowly gets its last response completely", .timeLimit(.minutes(2)))
    func slowReader() async throws {
        let (size, sent) = (8 << 20, AsyncStream.makeStream(of: Void.self))
        try await Served.run(lastTime: .milliseconds(1)) { request, _ in
            defer { sent.continuation.yield() }
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: size)))
        } _: { served in
            for fields in [Self.end, ""] {
                let answer = try await served.connect { connection in
                    try await connection.channel.setOption(.autoRead, value: false).get()
                    try await connection.send("GET / HTTP/1.1\r\n\(Self.host)\(fields)\r\n")
                    if fields.isEmpty { connection.finish() }
                    for await _ in sent.stream { break }
                    // Much longer than the server reads after its last response. It passes without this, too.
                    try await Task.sleep(for: .milliseconds(200))
                    try await connection.channel.setOption(.autoRead, value: true).get()
                    return try await connection.read()
                }
                #expect(answer.utf8.count > size && answer.hasSuffix("aaaa"))
            }
        }
    }

    @Test("a stream to HTTP/1.0 that fails resets the connection, because a plain end would be the end of the body")
    func failedOldStream() async throws {
        try await Served.run { _, _ in
            Self.stream { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                throw CancellationError()
            }
        } _: { served in
            await #expect(throws: IOError.self) { try await served.send("GET / HTTP/1.0\r\n\r\n") }
        }
    }

    @Test("a stream to HTTP/1.0 whose task is cancelled resets the connection too")
    func cancelledOldStream() async throws {
        try await Served.run { _, _ in
            Self.stream { writer in
                try await writer.write(ByteBuffer(string: "abc"))
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.write(ByteBuffer(string: "def"))
                try await writer.finish(nil)
            }
        } _: { served in
            await #expect(throws: IOError.self) { try await served.send("GET / HTTP/1.0\r\n\r\n") }
        }
    }

    @Test("the end of the input is not the start of a request, and its response is the last one")
    func halfClosed() throws {
        let connection = try Guarded()
        try connection.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.channel.pipeline.fireChannelReadComplete()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        connection.channel.read()
        connection.pass(100)
        #expect(connection.isOpen)
        try connection.answer(.ok)
        #expect(try connection.sent.contains("Connection: close"))
        #expect(!connection.isOpen)
    }

    @Test("a body that ends without its end mark ends the connection")
    func unfinished() async throws {
        try await Served.run { _, _ in
            Self.stream { writer in try await writer.write(ByteBuffer(string: "abc")) }
        } _: { served in
            let answer = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\r\n")
            #expect(answer.hasSuffix("\r\n\r\n3\r\nabc\r\n"))
        }
    }

    @Test(
        "RFC 9112, 9.6: no request after the last response is processed",
        arguments: [
            "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /large HTTP/1.1\r\n\(host)\r\n",
        ])
    func requestsAfterLast(_ first: String) async throws {
        let paths = Mutex<[String]>([])
        try await Served.run { request, _ in
            paths.withLock { $0.append(request.head.path ?? "") }
            guard request.head.path == "/large" else { return Self.stream { writer in try await writer.finish(nil) } }
            return Response(status: .contentTooLarge)
        } _: { served in
            let answer = try await served.send(first + "POST /next HTTP/1.1\r\n\(Self.host)Content-Length: 0\r\n\r\n")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2 && answer.contains("Connection: close"))
            #expect(paths.withLock { $0.count } == 1)
        }
    }

    @Test("bytes after a request to change the protocol do not fill the memory")
    func upgradeFlood() throws {
        let connection = try Guarded()
        try connection.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
        #expect(throws: (any Error).self) {
            for _ in 1...6 { try connection.receive(String(repeating: "a", count: 60_000)) }
        }
        try connection.answer(.ok)
        for _ in 1...5 where connection.isOpen { try? connection.receive(String(repeating: "a", count: 60_000)) }
        #expect(!connection.isOpen)
    }

    @Test("a refusal of HEAD has no body")
    func refusedHead() throws {
        let connection = try Guarded()
        try connection.receive("HEAD / HTTP/1.1\r\n\r\n")
        #expect(try connection.sent.hasSuffix("\r\n\r\n"))
    }

    @Test("HTTP/1.0 learns that its connection stays open")
    func keepAlive() async throws {
        try await Served.run { _, _ in
            Response(status: .ok)
        } _: { served in
            let answer = try await served.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n")
            let parts = answer.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(parts.map { $0.contains("Connection: keep-alive") } == [true, false])
        }
    }
}
