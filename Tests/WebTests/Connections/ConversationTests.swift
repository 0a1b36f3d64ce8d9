import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import Web

/// Requests and responses over a real connection.
@Suite("Conversation")
struct ConversationTests {
    private static let host = "Host: login.test\r\n"
    private static let end = "Connection: close\r\n"

    /// Answers with the method, the path and the body.
    private static let echo: @Sendable (Request, Served.Context) async throws -> Response = { request, _ in
        let body = try await request.body.whole(upTo: 1 << 20)
        return text("\(request.method) \(request.head.path ?? "-") \(String(buffer: body))")
    }

    private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func bodies(_ answer: String) -> [String] {
        answer.split(separator: "HTTP/1.1 ").map { String($0.split(separator: "\r\n\r\n", maxSplits: 1).last ?? "") }
    }

    @Test("a response has its status, a date, its fields, its length and its body")
    func response() async throws {
        try await Served.run { _, _ in
            Response(
                status: .created, headers: [.contentType: "text/plain", .location: "/a"], body: .init(byteBuffer: ByteBuffer(string: "b")))
        } _: { served in
            let answer = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            let form = #/HTTP/1\.1 201 Created\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n(.*)\r\n\r\nb/#.dotMatchesNewlines()
            let match = try #require(try form.wholeMatch(in: answer))
            #expect(match.1 == "Content-Type: text/plain\r\nLocation: /a\r\nContent-Length: 1\r\nConnection: close")
        }
    }

    @Test("requests in one read, and requests split at any byte, are answered in their order")
    func order() async throws {
        let requests =
            "GET /1 HTTP/1.1\r\n\(Self.host)\r\nPOST /2?q HTTP/1.1\r\n\(Self.host)Content-Length: 3\r\n\r\nabc"
            + "POST /3 HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
            + "GET /4 HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n"
        let expected = ["GET /1 ", "POST /2?q abc", "POST /3 def", "GET /4 "]
        try await Served.run(Self.echo) { served in
            #expect(Self.bodies(try await served.send(requests)) == expected)
            for length in stride(from: 1, to: requests.utf8.count, by: 7) {
                let (first, second) = (String(requests.prefix(length)), String(requests.dropFirst(length)))
                #expect(Self.bodies(try await served.send(first, second)) == expected, "\(length)")
            }
            let bytes = try await served.connect { connection in
                for byte in requests.unicodeScalars { try await connection.send(String(byte)) }
                return try await connection.read()
            }
            #expect(Self.bodies(bytes) == expected)
        }
    }

    @Test("a body that the action does not read is dropped, and the next request is answered")
    func unreadBody() async throws {
        try await Served.run { request, _ in
            Self.text(request.head.path ?? "")
        } _: { served in
            let body = String(repeating: "a", count: 50_000)
            let answer = try await served.connect { connection in
                try await connection.send("POST /1 HTTP/1.1\r\n\(Self.host)Content-Length: 50000\r\n\r\n" + body.prefix(10))
                var answer = try await connection.read(until: "/1")
                try await connection.send(body.dropFirst(10) + "GET /2 HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
                answer += try await connection.read()
                return answer
            }
            #expect(Self.bodies(answer) == ["/1", "/2"])
        }
    }

    @Test("a body whose reader outlives the response gets no byte of the next request")
    func lateReader() async throws {
        let bodies = Mutex<[RequestBody]>([])
        try await Served.run { request, _ in
            bodies.withLock { $0.append(request.body) }
            guard request.head.path == "/2" else { return Self.text("first") }
            var iterator = bodies.withLock { $0[0] }.makeAsyncIterator()
            let late = try await iterator.next()
            let own = try await request.body.whole(upTo: 100)
            return Self.text("\(late == nil) \(String(buffer: own))")
        } _: { served in
            let answer = try await served.connect { connection in
                try await connection.send("POST /1 HTTP/1.1\r\n\(Self.host)Content-Length: 2\r\n\r\na")
                _ = try await connection.read(until: "first")
                try await connection.send("bPOST /2 HTTP/1.1\r\n\(Self.host)\(Self.end)Content-Length: 3\r\n\r\nd")
                try await connection.send("ef")
                return try await connection.read()
            }
            #expect(Self.bodies(answer) == ["true def"])
        }
    }

    @Test("a body that ends too early, or has an invalid chunk, is an error for the action, and its response is the last one")
    func brokenBody() async throws {
        try await Served.run { request, _ in
            do { return Self.text(String(buffer: try await request.body.whole(upTo: 100))) } catch {
                return Self.text("\(type(of: error))", .badRequest)
            }
        } _: { served in
            let head = "POST / HTTP/1.1\r\n\(Self.host)"
            let cut = try await served.connect { connection in
                try await connection.send(head + "Content-Length: 3\r\n\r\na")
                connection.finish()
                return try await connection.read()
            }
            #expect(cut.hasPrefix("HTTP/1.1 400 ") && cut.hasSuffix("Problem"))
            let broken = try await served.send(head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", "zz\r\n\r\n")
            #expect(broken.hasPrefix("HTTP/1.1 400 ") && broken.contains(Self.end) && broken.hasSuffix("Problem"))
        }
    }

    @Test("a caller that sends no more still gets its responses")
    func halfClosed() async throws {
        try await Served.run(Self.echo) { served in
            let answer = try await served.connect { connection in
                try await connection.send("GET /1 HTTP/1.1\r\n\(Self.host)\r\nGET /2 HTTP/1.1\r\n\(Self.host)\r\n")
                connection.finish()
                return try await connection.read()
            }
            #expect(Self.bodies(answer) == ["GET /1 ", "GET /2 "])
        }
    }

    @Test(
        "the connection ends after the response that the caller asks for as the last one",
        arguments: [
            ("HTTP/1.1", "Connection: close\r\n", true), ("HTTP/1.1", "Connection: CLOSE\r\n", true), ("HTTP/1.0", "", true),
            ("HTTP/1.1", "Connection: x, close\r\n", true), ("HTTP/1.1", "", false), ("HTTP/1.1", "Connection: closed\r\n", false),
            ("HTTP/1.0", "Connection: keep-alive\r\n", false), ("HTTP/1.1", "Connection: \u{600}close\r\n", false),
            ("HTTP/1.1", "Connection: close\u{301}\r\n", false), ("HTTP/1.1", "Connection: x,\u{200D}close\r\n", false),
        ])
    func lastRequest(_ version: String, _ fields: String, _ isLast: Bool) async throws {
        try await Served.run(Self.echo) { served in
            let answer = try await served.connect { connection in
                try await connection.send("GET /1 \(version)\r\n\(Self.host)\(fields)\r\n")
                let first = try await connection.read(until: "GET /1 ")
                guard !isLast else { return try await first + connection.read() }
                try await connection.send("GET /2 HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
                return try await first + connection.read()
            }
            #expect(Self.bodies(answer) == (isLast ? ["GET /1 "] : ["GET /1 ", "GET /2 "]))
            #expect(answer.components(separatedBy: "Connection: close").count == 2)
        }
    }

    @Test("RFC 9110, 9.3.2 and 15: no body after HEAD, 204 and 304, and the next response is where the caller expects it")
    func noBody() async throws {
        try await Served.run { request, _ in
            switch request.head.path {
            case "/204": Self.text("none", .noContent)
            case "/304": Self.text("none", .notModified)
            case "/stream":
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "part"))
                        try await writer.finish(nil)
                    })
            default: Self.text("text")
            }
        } _: { served in
            func get(_ method: String, _ path: String) async throws -> [String] {
                try await served.send(
                    "\(method) \(path) HTTP/1.1\r\n\(Self.host)\r\nGET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n"
                ).components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0 }
            }
            for (method, path) in [("HEAD", "/"), ("HEAD", "/stream"), ("GET", "/204"), ("GET", "/304")] {
                let answers = try await get(method, path)
                #expect(answers.count == 2 && answers[0].hasSuffix("\r\n\r\n") && answers[1].hasSuffix("\r\n\r\ntext"), "\(method) \(path)")
                #expect(!answers[0].contains("Transfer-Encoding"))
                #expect(answers[0].contains("Content-Length: 4") == (path == "/"))
            }
        }
    }

    @Test("a body of unknown length is chunked, or ends with the connection for HTTP/1.0")
    func stream() async throws {
        try await Served.run { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in ["", "first", "", String(repeating: "b", count: 40_000)] {
                        try await writer.write(ByteBuffer(string: part))
                    }
                    try await writer.finish(nil)
                })
        } _: { served in
            let large = String(repeating: "b", count: 40_000)
            let chunked = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(chunked.hasSuffix("\r\n\r\n5\r\nfirst\r\n9c40\r\n\(large)\r\n0\r\n\r\n"))
            let old = try await served.send("GET / HTTP/1.0\r\n\(Self.host)Connection: keep-alive\r\n\r\n")
            #expect(old.contains("Connection: close") && !old.contains("chunked"))
            #expect(old.hasSuffix("\r\n\r\nfirst\(large)"))
        }
    }

    @Test("a body in several parts that says its length has no chunks; a body that fails ends the connection before its end")
    func streamWithLength() async throws {
        try await Served.run { request, _ in
            let fails = request.head.path == "/fails"
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: 6) { writer in
                    try await writer.write(ByteBuffer(string: "abc"))
                    if fails { throw CancellationError() }
                    try await writer.write(ByteBuffer(string: "def"))
                    try await writer.finish(nil)
                })
        } _: { served in
            let whole = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(whole.contains("Content-Length: 6\r\n") && whole.hasSuffix("\r\n\r\nabcdef") && !whole.contains("chunked"))
            let broken = try await served.send("GET /fails HTTP/1.1\r\n\(Self.host)\r\n")
            #expect(broken.hasSuffix("\r\n\r\nabc") && !broken.contains(Self.end))
        }
    }

    @Test("a caller that does not read stops the body, and one that disconnects ends it", .timeLimit(.minutes(2)))
    func slowReader() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Int.self)
        try await Served.run { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    var parts = 0
                    defer { end.yield(parts) }
                    while true {
                        try await writer.write(ByteBuffer(repeating: 0x61, count: 1 << 20))
                        parts += 1
                    }
                })
        } _: { served in
            try await served.connect { connection in
                try await connection.send("GET / HTTP/1.1\r\n\(Self.host)\r\n")
                // The caller reads the start. Then its buffer and that of the server are full.
                try await connection.channel.setOption(.autoRead, value: false).get()
            }
            for await parts in ends {
                // Without a limit, the server would have written as fast as it can.
                #expect(parts < 200)
                break
            }
        }
    }

    @Test("a read and the kernel take few bytes in advance, so many connections need little memory")
    func buffers() async throws {
        try await Served.run { _, context in
            let unsent = try await context.channel.getOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))).get()
            let reads = try await context.channel.getOption(.maxMessagesPerRead).get()
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "\(unsent) \(reads)")))
        } _: { served in
            let answer = try await served.send("GET / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(answer.hasSuffix("\r\n\r\n131072 1"), "\(answer)")
        }
    }

    @Test("a caller that sends thousands of requests in advance gets the first responses completely, and then the end")
    func inAdvance() async throws {
        try await Served.run(Self.echo) { served in
            let answer = try await served.send(String(repeating: "GET /a HTTP/1.1\r\n\(Self.host)\r\n", count: 5000))
            let bodies = Self.bodies(answer)
            // How many fit into a read varies.
            #expect(bodies.count >= 64 && bodies.count < 5000 && Set(bodies) == ["GET /a "], "\(bodies.count)")
            #expect(answer.ranges(of: "Connection: close").count == 1)
        }
    }

    @Test("the server reads nothing while a part of a request waits to be taken, so a caller cannot fill the memory")
    func heldReads() throws {
        final class Reads: ChannelOutboundHandler {
            typealias OutboundIn = Never
            var count = 0

            func read(context: ChannelHandlerContext) {
                count += 1
                context.read()
            }
        }
        let (channel, reads) = (EmbeddedChannel(), Reads())
        try channel.pipeline.syncOperations.addHandlers([reads, Conversation(on: channel.eventLoop)])
        channel.read()
        #expect(reads.count == 1)
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/")))
        for _ in 1...3 { channel.read() }
        #expect(reads.count == 1)
    }

    @Test(
        "RFC 9112, 3.2: a target is a path, or an absolute URI without its scheme and host",
        arguments: [
            ("/a/b?c=d", "/a/b?c=d"), ("http://login.test/a?b", "/a?b"), ("HTTPS://login.test:8443/a", "/a"), ("http://login.test", "/"),
            ("http://login.test?b", "/?b"), ("*", "*"), ("/http://x/", "/http://x/"), ("//x/y", "//x/y"), ("ftp://x/y", "ftp://x/y"),
        ])
    func target(_ target: String, _ path: String) async throws {
        try await Served.run(Self.echo) { served in
            let answer = try await served.send("OPTIONS \(target) HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(answer.hasSuffix("OPTIONS \(path) "), "\(answer.suffix(60))")
        }
    }

    @Test("every method that the parser knows reaches the action", arguments: ["PATCH", "PROPFIND", "TRACE", "SOURCE"])
    func method(_ method: String) async throws {
        try await Served.run(Self.echo) { served in
            let answer = try await served.send("\(method) / HTTP/1.1\r\n\(Self.host)\(Self.end)\r\n")
            #expect(answer.hasSuffix("\(method) / "))
        }
    }
}
