import Foundation
import Synchronization
import Testing

@testable import espalierctl

@Suite("espalierctl logs tail")
struct TailLogsTests {
    private func login(_ number: Int) -> String { Examples.login.replacing("login_1", with: "login_\(number)") }

    /// A server with these responses in order, and a refusal at the end.
    private func server(_ bodies: [String]) throws -> StubServer {
        let left = Mutex(bodies)
        return try StubServer { _ in
            left.withLock { $0.isEmpty ? .problem(401, #"{"detail":"The session has ended."}"#) : .init(body: $0.removeFirst()) }
        }
    }

    /// A server that has these logins at the first poll, those at the second, and so on. It returns pages of them as Espalier does, and refuses
    /// the poll after the last one.
    private func server(polls: [[Int]]) throws -> StubServer {
        let state = Mutex((left: polls[...], now: [Int]()))
        return try StubServer { request in
            let query = request.target.split(whereSeparator: { "?&=".contains($0) })
            func value(_ name: String) -> Int? { query.firstIndex { $0 == name }.flatMap { Int(query[$0 + 1]) } }
            return state.withLock { state in
                if value("after") == nil {
                    guard let next = state.left.popFirst() else { return .problem(401, #"{"detail":"The session has ended."}"#) }
                    state.now = next
                }
                let rest = state.now.sorted(by: >).filter { $0 < value("after") ?? .max }
                let page = rest.prefix(value("limit") ?? 10)
                let after = page.count < rest.count ? page.last.map { "\"\($0)\"" } : nil
                return .init(
                    body: #"{"data":[\#(page.map(login).joined(separator: ","))],"list_metadata":{"after":\#(after ?? "null")}}"#)
            }
        }
    }

    @Test(
        "new logins follow the earlier ones, oldest first and once, and older ones never do",
        arguments: [
            (lines: 10, polls: [Array(101...115), Array(101...115), Array(101...117)], shown: Array(106...117)),
            (0, [Array(101...115), Array(101...117)], [116, 117]),
            // The deletions move older logins to the first page.
            (2, [Array(100...250), Array(100...200) + [250, 251]], [249, 250, 251]),
            // A login that took longer than others appears below them.
            (1, [[101, 103], [101, 102, 103]], [103, 102]),
            // More than one page is new.
            (1, [[101], Array(101...350)], Array(101...350)),
            (10, [[], Array(101...350)], Array(101...350)),
        ])
    func follow(lines: Int, polls: [[Int]], shown: [Int]) async throws {
        let server = try server(polls: polls)
        defer { server.stop() }
        let run = try await Run("logs", "tail", "--tenant", "acme", "--lines", "\(lines)", environment: Run.environment(for: server))
        #expect(run.status == 4)
        let ids = run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(ids == shown.map { "login_\($0)" }, "\(run.output)")
        #expect(run.output.hasPrefix("2026-11-21T08:00:00Z  active  user_1  app_1  login_"))
        #expect(run.messages.hasPrefix("Waiting for logins. Press Ctrl-C to end.\n"), "\(run.messages)")
    }

    @Test("a terminal has a header once, relative times, and lines that fit", arguments: [60, 80, 150])
    func terminal(width: UInt16) async throws {
        func full(_ number: Int) -> String {
            login(number).replacing(#/"([a-z]+)_[0-9]+"/#) { "\"\($0.1)_01hq3r8x2mfbw8t6v0c5k9s4y\(number)\"" }
        }
        let server = try server([Examples.list(full(2), full(1)), Examples.list(full(3), full(2))])
        defer { server.stop() }
        let run = try TerminalRun("logs", "tail", "--tenant", "acme", environment: Run.environment(for: server), columns: width)
        #expect(try await run.end().status == 4)
        let lines = run.lines
        #expect(lines.count { $0.hasPrefix("OCCURRED    STATE    ") && $0.contains("  USER") } == 1, "\(run.screen)")
        let rows = lines.filter { $0.contains(" ago ") }
        #expect(rows.count == 3 && rows.allSatisfy { $0.count <= Int(width) && $0.contains("203.0.113.7      user_") }, "\(rows)")
        #expect(lines.contains { $0.hasSuffix("login_01hq3r8x2mfbw8t6v0c5k9s4y1") } == (width == 150))
        #expect(lines.count { $0.hasPrefix("(") } == (width == 150 ? 0 : 1), "\(run.screen)")
    }

    @Test("--no-follow without a login says so")
    func nothing() async throws {
        let server = try server([Examples.list()])
        defer { server.stop() }
        let run = try await Run("logs", "tail", "--tenant", "acme", "--no-follow", environment: Run.environment(for: server))
        #expect(run.status == 0 && run.output.isEmpty && run.messages == "No results.\n", "\(run.messages)")
    }

    @Test("--no-follow ends after the earlier logins, which --json prints unchanged")
    func json() async throws {
        let server = try server([Examples.list(login(2), login(1)), Examples.list(login(2), login(1)), Examples.list(login(1))])
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let run = try await Run("logs", "tail", "--tenant", "acme", "--no-follow", "--json", environment: environment)
        #expect(run.status == 0 && run.output == "\(login(1))\n\(login(2))\n")
        let filtered = try await Run("logs", "tail", "--tenant", "acme", "--no-follow", "--jq", ".id", environment: environment)
        #expect(filtered.output == "login_1\nlogin_2\n")
        #expect(try await Run("logs", "tail", "--tenant", "acme", "--no-follow", "--lines", "0", environment: environment).output.isEmpty)
        #expect(try await Run("logs", "tail", "--tenant", "acme", "--lines", "101", environment: environment).status == 2)
    }
}
