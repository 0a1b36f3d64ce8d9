import Crypto
import Foundation
import Synchronization
import Testing

@testable import espalierctl

@Suite("espalierctl webhooks listen")
struct ListenWebhooksTests {
    private static let first = #"{"type":"user.created","timestamp":"2026-11-21T08:00:00Z","data":{"user_id":"user_1"}}"#
    private static let second = #"{"type":"session.revoked","timestamp":"2026-11-21T08:00:01Z","data":{"session_id":"session_1"}}"#
    private static let stream =
        ": hello\r\n\r\nid: event_1\nevent: user.created\ndata: \(first)\n\nid: event_2\nevent: session.revoked\ndata: \(second)\n\n"
        + "event: user.created\nid:\ndata: {}\n\nid: event_2\n\ndata: {\"half\":"

    /// Whether this is the call that opens the connection of a stream.
    private static func isOpening(_ request: StubServer.Request) -> Bool { request.call == "GET /v1/caller" }

    /// A server that sends the stream once, and then refuses.
    private func server() throws -> StubServer {
        let isFirst = Mutex(true)
        return try StubServer { request in
            if Self.isOpening(request) { return .init(body: "{}") }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
                    ? .init(headers: ["Content-Type": "text/event-stream"], body: Self.stream)
                    : .problem(401, #"{"detail":"The session has ended."}"#)
            }
        }
    }

    @Test("events are forwarded with the headers of a delivery, and the stream continues after the last event")
    func forward() async throws {
        let (server, receiver) = (try server(), try StubServer(answering: .init(body: "")))
        defer {
            server.stop()
            receiver.stop()
        }
        let run = try await Run(
            "webhooks", "listen", "--tenant", "acme", "--forward-to", "\(receiver.baseURL)/hooks?a=b",
            environment: Run.environment(for: server))
        #expect(run.status == 4 && run.messages.contains("error: The session has ended."), "\(run.messages)")
        let openings = server.received.map(Self.isOpening)
        #expect(openings == [true, false, true, false])
        let streams = server.received.filter { !Self.isOpening($0) }
        #expect(streams[0].call == "GET /v1/tenants/acme/webhooks/listen")
        #expect(streams[0].header("Accept") == "text/event-stream" && streams[0].header("Last-Event-ID") == nil)
        #expect(streams[1].header("Last-Event-ID") == "event_2")
        #expect(receiver.received.map(\.body) == [Self.first, Self.second])
        let delivery = try #require(receiver.received.first)
        #expect(delivery.call == "POST /hooks?a=b" && delivery.header("webhook-id") == "event_1")
        #expect(delivery.header("Authorization") == nil && delivery.header("Content-Type") == "application/json")
        let secret = try #require(run.messages.firstMatch(of: #/The signing secret is whsec_([A-Za-z0-9+\/=]+)\./#))
        let key = SymmetricKey(data: try #require(Data(base64Encoded: String(secret.1))))
        let timestamp = try #require(delivery.header("webhook-timestamp"))
        let code = HMAC<SHA256>.authenticationCode(for: Data("event_1.\(timestamp).\(Self.first)".utf8), using: key)
        #expect(delivery.header("webhook-signature") == "v1,\(Data(code).base64EncodedString())")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("Z  user.created  event_1  200"), "\(run.output)")
    }

    @Test("--event selects types, and --json and --jq print the bodies")
    func select() async throws {
        let types = try server()
        defer { types.stop() }
        let chosen = try await Run(
            "webhooks", "listen", "--tenant", "acme", "--event", "session.revoked", "--json", environment: Run.environment(for: types))
        #expect(chosen.output == Self.second + "\n")
        #expect(!chosen.messages.contains("event_2"), "\(chosen.messages)")
        let filtered = try server()
        defer { filtered.stop() }
        let parts = try await Run(
            "webhooks", "listen", "--tenant", "acme", "--jq", ".data.user_id", environment: Run.environment(for: filtered))
        #expect(parts.output == "user_1\nnull\n")
    }

    @Test("a server that restarts or is full gets another request after its time, and a refusal ends the command")
    func refused() async throws {
        let answers = Mutex([503, 429, 403])
        let server = try StubServer { request in
            if Self.isOpening(request) { return .init(body: "{}") }
            var answer = StubServer.Answer.problem(answers.withLock { $0.removeFirst() }, #"{"detail":"There are 2 listeners."}"#)
            if answer.status == 429 { answer.headers["Retry-After"] = "1" }
            return answer
        }
        defer { server.stop() }
        let run = try await Run("webhooks", "listen", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1 && run.messages.contains("error: There are 2 listeners.\n"), "\(run.messages)")
        #expect(run.messages.contains("\nThere are 2 listeners. The next attempt follows in 1 s.\n"), "\(run.messages)")
        #expect(server.received.count { !Self.isOpening($0) } == 3)
    }

    @Test("a receiver that does not respond is reported, and the command continues")
    func unreachable() async throws {
        let (server, receiver) = (try server(), try StubServer(answering: .init(body: "")))
        defer { server.stop() }
        receiver.stop()
        let run = try await Run(
            "webhooks", "listen", "--tenant", "acme", "--forward-to", receiver.baseURL, environment: Run.environment(for: server))
        #expect(run.output.split(separator: "\n").count { $0.contains("  not delivered: ") } == 2, "\(run.output)")
    }

    @Test(
        "an address that is not HTTP is refused",
        arguments: ["ftp://localhost", "http://u:p@localhost", "u@localhost:3000", "http://", "", "/webhooks", "localhost\u{600}://a"])
    func address(text: String) async throws {
        let run = try await Run("webhooks", "listen", "--tenant", "acme", "--forward-to", text)
        #expect(run.status == 2 && run.messages.contains("Write an address such as localhost:3000/webhooks"), "\(run.messages)")
    }

    @Test(
        "an address without a scheme is http",
        arguments: [
            ("localhost:3000", "http://localhost:3000"), ("localhost:3000/a?b=c://d", "http://localhost:3000/a?b=c://d"),
            ("127.0.0.1/hooks", "http://127.0.0.1/hooks"), ("https://a.example/", "https://a.example/"),
        ])
    func scheme(text: String, address: String) throws {
        #expect(ForwardAddress(argument: text)?.url.absoluteString == address)
    }

    @Test("a misspelled type gets a suggestion")
    func type() async throws {
        let run = try await Run("webhooks", "trigger", "user.craeted", "--tenant", "acme")
        #expect(run.status == 2 && run.messages.contains("Did you mean `user.created`?"), "\(run.messages)")
    }
}

@Suite("server-sent events")
struct ServerSentEventsTests {
    private func events(_ text: String, piece: Int) throws -> [ServerSentEvents.Event] {
        var (reader, bytes, events) = (ServerSentEvents(), Array(text.utf8)[...], [ServerSentEvents.Event]())
        while !bytes.isEmpty {
            events += try reader.read(bytes.prefix(piece))
            bytes = bytes.dropFirst(piece)
        }
        return events
    }

    @Test("a stream is read by bytes, in pieces of any size", arguments: [1, 2, 3, 1000])
    func pieces(size: Int) throws {
        let text =
            "\u{600}: x\nid: e1\r\nevent:a\r\ndata: 1\r\ndata:  2\u{301}\r\n\r\rdata\r\rid: e\u{600}2\ndata: \u{200D}\n\nevent: b\n\nda"
        #expect(
            try events(text, piece: size) == [
                .init(id: "e1", type: "a", data: "1\n 2\u{301}"), .init(id: "e1", data: ""), .init(id: nil, data: "\u{200D}"),
            ])
    }

    @Test("a separator separates next to any character", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func separators(_ joining: String) throws {
        #expect(try events("data:\(joining)a\n\n", piece: 1) == [.init(data: "\(joining)a")])
        #expect(try events("data: a\(joining)\n\n", piece: 1) == [.init(data: "a\(joining)")])
        #expect(try events("data\(joining): a\n\n", piece: 1) == [])
    }

    @Test("an event without an end is refused at 256 KiB, and invalid UTF-8 is skipped")
    func limits() throws {
        var reader = ServerSentEvents()
        let failure = #expect(throws: Failure.self) { try reader.read(repeatElement(0x61, count: ServerSentEvents.limit + 1)) }
        #expect(failure != nil)
        var other = ServerSentEvents()
        #expect(try other.read([0x64, 0x61, 0x74, 0x61, 0x3A, 0xFF, 0x0A, 0x0A]) == [])
    }
}
