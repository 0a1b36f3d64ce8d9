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

    @Test("new logins follow the earlier ones, oldest first and once")
    func follow() async throws {
        let server = try server([
            Examples.list(login(2), login(1)), Examples.list(login(2), login(1)), Examples.list(login(5), login(4), after: "c"),
            Examples.list(login(3), login(2)),
        ])
        defer { server.stop() }
        let run = try await Run("logs", "tail", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 4)
        let ids = run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        #expect(ids == ["login_1", "login_2", "login_3", "login_4", "login_5"], "\(run.output)")
        #expect(run.output.hasPrefix("2026-11-21T08:00:00Z  active  user_1  app_1  login_1\n"))
        #expect(run.messages.hasPrefix("Waiting for logins. Press Ctrl-C to end.\n"), "\(run.messages)")
        #expect(
            server.calls.prefix(4) == [
                "GET /v1/tenants/acme/logins?limit=10", "GET /v1/tenants/acme/logins?limit=100", "GET /v1/tenants/acme/logins?limit=100",
                "GET /v1/tenants/acme/logins?limit=100&after=c",
            ])
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
