import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import Web

/// The event loop provides the time, so nothing here waits.
@Suite("Request guard")
struct RequestGuardTests {
    private static let head = "POST / HTTP/1.1\r\nHost: login.test\r\n"

    @Test(
        "after a request to change the protocol nothing is read, so the response ends the connection",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
            "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        ])
    func upgrade(_ request: String) throws {
        let guarded = try Guarded()
        try guarded.receive(request)
        #expect(guarded.isOpen)
        try guarded.answer(.ok)
        #expect(try guarded.sent.lowercased().contains("connection: close"))
        guarded.pass(10)
        #expect(!guarded.isOpen)
    }

    @Test("a head has 30 seconds, even if its bytes arrive slowly")
    func slowHead() throws {
        let connection = try Guarded()
        try connection.receive("GET / HTTP/1.1\r\nHost: login.test\r\nX-Slow: ")
        for _ in 1...29 {
            connection.pass(1)
            try connection.receive("a")
        }
        #expect(connection.isOpen)
        connection.pass(1)
        #expect(!connection.isOpen)
        let answer = try connection.sent
        #expect(
            answer.hasPrefix("HTTP/1.1 408 ") && answer.contains("\"code\":\"request_timeout\"") && answer.contains("Connection: close"))
    }

    @Test("a slow body ends after its grace time")
    func drippingBody() throws {
        let connection = try Guarded()
        try connection.receive(Self.head + "Content-Length: 60000\r\n\r\n")
        for _ in 1...10 {
            #expect(connection.isOpen)
            connection.pass(1)
            if connection.isOpen { try connection.receive("a") }
        }
        connection.pass(1)
        try Self.expectSlowBody(connection)
    }

    /// The action receives the error. Its response ends the connection.
    private static func expectSlowBody(_ connection: Guarded) throws {
        #expect(throws: SlowBody.self) { try connection.channel.throwIfErrorCaught() }
        #expect(connection.isOpen)
        try connection.answer(.requestTimeout)
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 408 ") && sent.contains("Connection: close"))
        connection.pass(3)
        #expect(!connection.isOpen)
        #expect(try connection.sent == "")
    }

    @Test(
        "a body above the minimum rate must still be complete in 30 seconds",
        arguments: ["Content-Length: 60000", "Transfer-Encoding: chunked"])
    func endlessBody(_ framing: String) throws {
        let connection = try Guarded()
        try connection.receive(Self.head + framing + "\r\n\r\n")
        let bytes = String(repeating: "a", count: 600)
        for _ in 1...29 {
            connection.pass(1)
            try connection.receive(framing.hasPrefix("C") ? bytes : "258\r\n\(bytes)\r\n")
        }
        #expect(connection.isOpen)
        connection.pass(1)
        try Self.expectSlowBody(connection)
    }

    @Test("a slow body during an unfinished response closes the connection, and the response does not look complete")
    func slowBodyInLine() throws {
        let (first, begun) = (try Guarded(), try Guarded())
        try first.receive("GET / HTTP/1.1\r\nHost: login.test\r\n\r\n" + Self.head + "Content-Length: 60000\r\n\r\na")
        try begun.receive(Self.head + "Content-Length: 60000\r\n\r\na")
        try begun.begin(.ok)
        for connection in [first, begun] {
            connection.pass(30)
            #expect(!connection.isOpen)
            #expect(throws: HTTPParserError.invalidEOFState) { try connection.channel.throwIfErrorCaught() }
        }
        #expect(try first.sent == "")
    }

    @Test("a new connection has 10 seconds for its first byte; after a request, it may be idle")
    func silent() throws {
        let connections = OpenConnections()
        let (silent, used, begun) = (
            try Guarded(counting: connections), try Guarded(counting: connections), try Guarded(counting: connections)
        )
        silent.pass(9)
        #expect(silent.isOpen)
        try used.receive("GET / HTTP/1.1\r\nHost: login.test\r\n\r\n")
        try used.answer(.ok)
        try begun.receive("G")
        for connection in [silent, used, begun] { connection.pass(10) }
        #expect(!silent.isOpen)
        #expect(try silent.sent == "")
        #expect(used.isOpen && begun.isOpen)
        #expect(connections.count == 2)
    }

    @Test("each refusal is reported once, with the request ID of its response")
    func reported() throws {
        let reports = Mutex<[RequestGuard.Refused]>([])
        let report: @Sendable (RequestGuard.Refused) -> Void = { refused in reports.withLock { $0.append(refused) } }
        let (fine, hostless, slow) = (try Guarded(report: report), try Guarded(report: report), try Guarded(report: report))
        let dripping = try Guarded(report: report)
        try fine.receive("GET / HTTP/1.1\r\nHost: login.test\r\n\r\n")
        try fine.answer(.ok)
        try hostless.receive("PUT / HTTP/1.1\r\n\r\n")
        try slow.receive("GET")
        slow.pass(30)
        // The action reports it.
        try dripping.receive(Self.head + "Content-Length: 60000\r\n\r\na")
        dripping.pass(30)
        try Self.expectSlowBody(dripping)
        let all = reports.withLock { $0 }
        #expect(all.map(\.status) == [400, 408])
        #expect(all.map(\.method) == ["PUT", "none"])
        #expect(all.map(\.outcome) == ["invalid", "request_timeout"])
        #expect(all.map(\.took) == [.zero, .seconds(30)])
        for (connection, refused) in zip([hostless, slow], all) {
            let sent = try connection.sent
            #expect(sent.contains("Request-Id: \(refused.requestID)\r\n") && sent.contains("\"\(refused.requestID)\""))
        }
    }

    @Test(
        "a request that the parser cannot read gets 400, ends the connection, and is reported once",
        arguments: [
            "G@T / HTTP/1.1\r\nHost: login.test\r\n\r\n", "GET / HTTP/1.1\r\nHost login.test\r\n\r\n",
            "GET / HTTP/3.7\r\nHost: login.test\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
            head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.0\r\nHost: login.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            head + "X-Long: " + String(repeating: "a", count: 90_000) + "\r\n\r\n",
        ])
    func unreadable(_ request: String) throws {
        let reports = Mutex<[RequestGuard.Refused]>([])
        let connection = try Guarded { refused in reports.withLock { $0.append(refused) } }
        // In two reads, so that more bytes follow the invalid one.
        try connection.receive(String(request.prefix(request.count - 2)))
        try connection.receive(String(request.suffix(2)))
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 400 ") && sent.contains("Connection: close") && sent.contains("\"code\":\"invalid\""))
        #expect(sent.contains("delete the cookies") == (request.count > 80_000))
        #expect(reports.withLock { $0.map(\.status) } == [400])
        #expect(try connection.requests == 0)
        for _ in 1...5 where connection.isOpen { try connection.receive(String(repeating: "a", count: 60_000)) }
        #expect(!connection.isOpen)
        #expect(try connection.sent == "")
        #expect(reports.withLock { $0.count } == 1)
    }

    @Test("after a whole request, the refusal waits; a caller that disconnects within its head gets no response")
    func unreadableInLine() throws {
        let reports = Mutex<[RequestGuard.Refused]>([])
        let report: @Sendable (RequestGuard.Refused) -> Void = { refused in reports.withLock { $0.append(refused) } }
        let (connection, gone) = (try Guarded(report: report), try Guarded(report: report))
        try connection.receive("GET / HTTP/1.1\r\nHost: login.test\r\n\r\nG@T")
        #expect(try connection.sent == "")
        try connection.answer(.ok)
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 200 ") && sent.contains("HTTP/1.1 400 "))
        try gone.receive("GET / HTTP/1.1\r\nHo")
        gone.channel.close(promise: nil)
        #expect(try gone.sent == "")
        #expect(reports.withLock { $0.count } == 1)
    }

    @Test("a body that the parser cannot read, or that ends too early, goes to the action as an error; its response ends the connection")
    func unreadableBody() throws {
        let reports = Mutex<[RequestGuard.Refused]>([])
        let report: @Sendable (RequestGuard.Refused) -> Void = { refused in reports.withLock { $0.append(refused) } }
        let (connection, gone) = (try Guarded(report: report), try Guarded(report: report))
        #expect(throws: HTTPParserError.self) { try connection.receive(Self.head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n") }
        try connection.answer(.badRequest)
        #expect(try connection.sent.contains("Connection: close"))
        connection.pass(3)
        #expect(!connection.isOpen)
        try gone.receive(Self.head + "Content-Length: 2\r\n\r\na")
        gone.channel.close(promise: nil)
        #expect(throws: HTTPParserError.invalidEOFState) { try gone.channel.throwIfErrorCaught() }
        #expect(reports.withLock { $0.isEmpty })
    }

    @Test("a complete request has no deadline, and a connection may be silent for 75 seconds between requests")
    func whole() throws {
        let connection = try Guarded()
        for _ in 1...3 {
            try connection.receive(Self.head + "Content-Length: 1\r\n\r\na")
            connection.pass(1000)
            try connection.answer(.ok)
            connection.pass(74)
            #expect(connection.isOpen)
        }
        #expect(try connection.requests == 3)
        connection.pass(1)
        #expect(!connection.isOpen)
    }

    @Test("a slow request that is in time does not affect the next one")
    func slowButInTime() throws {
        let connection = try Guarded()
        for _ in 1...3 {
            try connection.receive("POST / HTTP/1.1\r\n")
            connection.pass(20)
            try connection.receive("Host: login.test\r\nContent-Length: 2\r\n\r\na")
            connection.pass(5)
            try connection.receive("a")
            try connection.answer(.ok)
            connection.pass(70)
        }
        #expect(connection.isOpen)
        #expect(try connection.requests == 3)
    }

    @Test("while the server does not read, the caller's clock stops")
    func busyServer() throws {
        let connection = try Guarded()
        try connection.receive(Self.head + "Content-Length: 60000\r\n\r\na", reading: false)
        connection.pass(600)
        #expect(connection.isOpen)
        connection.channel.read()
        connection.pass(9)
        #expect(connection.isOpen)
        connection.pass(2)
        try Self.expectSlowBody(connection)
    }

    @Test(
        "a half-read request ends the connection: after 413 always, otherwise if much is left",
        arguments: [
            (413, "Content-Length: 2", true), (413, "Content-Length: 26000000", true), (404, "Content-Length: 26000000", true),
            (404, "Transfer-Encoding: chunked", true), (404, "Content-Length: 60000", false), (200, "Content-Length: 0", false),
        ])
    func halfRead(_ status: Int, _ framing: String, _ ends: Bool) throws {
        let connection = try Guarded()
        try connection.receive(Self.head + framing + "\r\n\r\n")
        try connection.answer(.init(code: status))
        #expect(try connection.sent.contains("Connection: close") == ends)
        connection.pass(3)
        #expect(connection.isOpen == !ends)
    }

    @Test(
        "RFC 9112, 3.2: one valid Host, which only HTTP/1.0 may leave out",
        arguments: [
            ("HTTP/1.1", ["login.test"], true), ("HTTP/1.1", ["login.test:8080"], true), ("HTTP/1.1", ["127.0.0.1:80"], true),
            ("HTTP/1.1", ["[::1]:8080"], true), ("HTTP/1.1", ["[2001:db8::1]"], true), ("HTTP/1.0", [], true), ("HTTP/1.0", ["a"], true),
            ("HTTP/1.1", [], false), ("HTTP/1.1", [""], false), ("HTTP/1.1", ["login.test", "login.test"], false),
            ("HTTP/1.0", ["a", "b"], false), ("HTTP/1.1", ["a%00b"], false), ("HTTP/1.1", ["a%0d%0ab"], false),
            ("HTTP/1.1", ["a b"], false),
            ("HTTP/1.1", ["a, b"], false), ("HTTP/1.1", ["user@a"], false), ("HTTP/1.1", ["a/b"], false), ("HTTP/1.1", ["a:x"], false),
            ("HTTP/1.1", ["a:123456"], false), ("HTTP/1.1", ["[::1"], false), ("HTTP/1.1", ["[login.test]"], false),
            ("HTTP/1.1", ["l\u{F6}gin.test"], false), ("HTTP/1.1", ["login\u{600}.test"], false),
        ] as [(String, [String], Bool)])
    func hosts(_ version: String, _ hosts: [String], _ isTaken: Bool) throws {
        let connection = try Guarded()
        try connection.receive("GET / \(version)\r\n" + hosts.map { "Host: \($0)\r\n" }.joined() + "\r\n")
        #expect(try connection.requests == (isTaken ? 1 : 0))
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 400 ") == !isTaken)
        #expect(isTaken || sent.contains("Host header"))
        connection.pass(3)
        #expect(connection.isOpen == isTaken)
    }

    @Test(
        "an absolute target must name the host of the header",
        arguments: [
            ("http://a.test/x", true), ("HTTPS://A.TEST", true), ("http://a.test?x", true), ("/http://b.test", true),
            ("http://a.test:80/", true), ("http://A.test:8443/", true), ("http://b.test/x", false), ("http://a.test:x/", false),
            ("http://[::1]/", false), ("http://x@a.test/", false), ("http:///x", false), ("http://a.test.b.test/", false),
        ])
    func targets(_ target: String, _ isTaken: Bool) throws {
        let connection = try Guarded()
        try connection.receive("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(try connection.requests == (isTaken ? 1 : 0))
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 400 ") == !isTaken)
    }

    @Test("a refusal waits for the earlier responses, and nothing after it is read")
    func inOrder() throws {
        let connection = try Guarded()
        let fine = "GET / HTTP/1.1\r\nHost: login.test\r\n\r\n"
        try connection.receive(fine + "GET / HTTP/1.1\r\n\r\n" + fine)
        #expect(try connection.sent == "")
        try connection.answer(.ok)
        let sent = try connection.sent
        #expect(sent.hasPrefix("HTTP/1.1 200 ") && sent.contains("HTTP/1.1 400 "))
        #expect(try connection.requests == 1)
    }

    @Test("the requests that a connection sends in advance are limited; the last one's response ends it")
    func inAdvance() throws {
        let (connection, limit) = (try Guarded(), ConnectionLimits(total: 1, perAddress: nil).inAdvance)
        let fine = "GET / HTTP/1.1\r\nHost: login.test\r\n\r\n"
        try connection.receive(String(repeating: fine, count: limit + 1) + "GET / HTTP/1.1\r\n\r\n")
        #expect(try connection.requests == limit)
        for _ in 1..<limit { try connection.answer(.ok) }
        #expect(try !connection.sent.contains("Connection: close"))
        try connection.receive(fine)
        try connection.answer(.ok)
        let last = try connection.sent
        #expect(last.contains("Connection: close") && !last.contains("400"))
        #expect(try connection.requests == 0)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test(
        "RFC 9112, 6.1: the only transfer coding is chunked",
        arguments: [
            (["chunked"], true), (["Chunked"], true), (["gzip, chunked"], false), (["x,chunked"], false), ([",chunked"], false),
            (["identity", "chunked"], false), (["chunked", "chunked"], false),
        ])
    func codings(_ codings: [String], _ isTaken: Bool) throws {
        let connection = try Guarded()
        let fields = codings.map { "Transfer-Encoding: \($0)\r\n" }.joined()
        try connection.receive("POST / HTTP/1.1\r\nHost: login.test\r\n\(fields)\r\n0\r\n\r\n")
        #expect(try connection.requests == (isTaken ? 1 : 0))
        #expect(try connection.sent.hasPrefix("HTTP/1.1 400 ") == !isTaken)
    }

    @Test("connections are limited by network and in total, and a closed one makes room")
    func caps() throws {
        let connections = OpenConnections()
        let limits = ConnectionLimits(total: 3, perAddress: 2)
        func connect(_ address: String) throws -> Guarded { try Guarded(limits, from: address, counting: connections) }
        let first = try connect("2001:db8::1")
        #expect(try connect("2001:db8::2").isOpen)
        #expect(try !connect("2001:db8::3").isOpen)
        #expect(try connect("192.0.2.1").isOpen)
        #expect(try !connect("192.0.2.2").isOpen)
        #expect(connections.count == 3)
        first.channel.close(promise: nil)
        #expect(connections.count == 2)
        #expect(try connect("192.0.2.2").isOpen)
        #expect((connections.refused(by: .address), connections.refused(by: .total)) == (1, 1))
    }
}
