import Foundation
import Testing

@testable import espalierctl

@Suite("relative times and bars")
struct RelativeTimeTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test(
        "a time is shown as its distance in the largest unit",
        arguments: [
            (0, "0 s ago"), (59, "59 s ago"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"), (86_399, "23 h ago"),
            (86_400, "1 d ago"), (59 * 86_400, "59 d ago"), (61 * 86_400, "2 mo ago"), (364 * 86_400, "11 mo ago"),
            (365 * 86_400, "1 y ago"),
            (800 * 86_400, "2 y ago"), (-1, "in 1 s"), (-3600, "in 1 h"), (-200 * 86_400, "in 6 mo"),
        ])
    func distance(seconds: Int, text: String) throws {
        let time = Self.now.addingTimeInterval(-Double(seconds)).formatted(.iso8601)
        let relative = try #require(RelativeTime(time, now: Self.now))
        #expect(relative.text == text)
        #expect(relative.text.count <= RelativeTime.width)
    }

    @Test(
        "a past time never begins with `in`, and a future time always does",
        arguments: [1, 59, 60, 3599, 3600, 86_399, 86_400, 7 * 86_400 - 1, 7 * 86_400, 60 * 86_400 - 1, 60 * 86_400, 365 * 86_400])
    func side(seconds: Int) throws {
        for fraction in [0, 0.25, 0.999] {
            let now = Self.now.addingTimeInterval(fraction)
            let past = try #require(RelativeTime(Self.now.addingTimeInterval(-Double(seconds)).formatted(.iso8601), now: now))
            #expect(past.text.hasSuffix(" ago") && !past.text.hasPrefix("in "), "\(past.text)")
            let future = try #require(RelativeTime(Self.now.addingTimeInterval(Double(seconds)).formatted(.iso8601), now: now))
            #expect(future.text.hasPrefix("in ") && !future.text.hasSuffix(" ago"), "\(future.text)")
        }
    }

    @Test("an accepted invitation does not show the later end of its link, and an open one does")
    func acceptedInvitation() async throws {
        let end = Date.now.addingTimeInterval(7 * 86_400 - 60).formatted(.iso8601)
        let open = Examples.invitation.replacing("2026-11-28T08:00:00Z", with: end)
        let accepted = open.replacing(#""state":"pending""#, with: #""state":"accepted","accepted_at":"2026-11-21T09:00:00Z""#)
        let server = try StubServer(answering: .init(body: Examples.list(accepted, open)))
        defer { server.stop() }
        let arguments = ["invitations", "list", "--tenant", "acme"]
        let run = try TerminalRun(arguments: arguments, environment: Run.environment(for: server), columns: 100)
        #expect(try await run.end().status == 0)
        let lines = run.lines
        #expect(lines.contains { $0.contains("accepted  -  ") && !$0.contains("in ") }, "\(run.screen)")
        #expect(lines.contains { $0.contains("pending   in 6 d") }, "\(run.screen)")
        let json = try await Run(arguments: arguments + ["--jq", ".data[].expires_at"], environment: Run.environment(for: server))
        #expect(json.output == "\(end)\n\(end)\n")
    }

    @Test(
        "only a time of the API is relative",
        arguments: [
            "2026-11-21", "2026-11-21T08:00:00+01:00", "2026-11-21T08:00:00", "-", "2026-11-21T08:00:00Z, 2026-11-21T08:00:00Z",
            "２０２６-11-21T08:00:00Z", "2026-11-21T08:00:00\u{600}Z", "2026-11-21T08:00:00Z\u{301}", "2026-13-41T08:00:00Z",
        ])
    func other(text: String) {
        #expect(RelativeTime(text, now: Self.now) == nil)
    }

    @Test("a terminal shows the distance, and a pipe and --json show the time")
    func terminal() async throws {
        let created = Date.now.addingTimeInterval(-3 * 86_400 - 60).formatted(.iso8601)
        let body = Examples.tenant.replacing("2026-11-21T08:00:00Z", with: created)
        let server = try StubServer { .init(body: $0.path == "/v1/tenants" ? Examples.list(body) : body) }
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let details = try TerminalRun("tenants", "show", "acme", environment: environment, columns: 100)
        try await details.sees("\(created) (3 d ago)\n")
        #expect(try await details.end().status == 0)
        let list = try TerminalRun("tenants", "list", environment: environment, columns: 100)
        try await list.sees("3 d ago")
        #expect(try await list.end().status == 0)
        #expect(!list.screen.contains(created))
        for arguments in [["tenants", "show", "acme"], ["tenants", "list"], ["tenants", "list", "--json"]] {
            let run = try await Run(arguments: arguments, environment: environment)
            #expect(run.output.contains(created) && !run.output.contains(" ago"))
        }
    }

    @Test("the width of a terminal that does not know its own is COLUMNS")
    func columns() async throws {
        let server = try StubServer(answering: .init(body: Examples.list(Examples.tenant)))
        defer { server.stop() }
        let environment = Run.environment(for: server).merging(["COLUMNS": "30"]) { $1 }
        let run = try TerminalRun("tenants", "list", environment: environment, columns: 0)
        try await run.sees("(hidden for lack of width: ")
        #expect(try await run.end().status == 0)
    }

    @Test("zero is the lowest bar, and any other number is higher")
    func bars() {
        #expect(Sparkline([0, 1, 50, 100], width: 60).text == "▁▂▅█")
        #expect(Sparkline([], width: 60).text == "")
        let narrow = Sparkline([1, 1, 1, 0, 0, 0, 7], width: 3)
        #expect(narrow.values == [3, 0, 7] && narrow.windowsPerBar == 3)
        #expect(Sparkline([Int.max, 1], width: 2).text.count == 2)
    }

    @Test("usage show has bars on a terminal, and days without logins count")
    func usage() async throws {
        let body = """
            {"object":"usage","tenant_id":"tenant_1","from":"2025-11-01T00:00:00Z","to":"2025-11-06T00:00:00Z",\
            "logins":13,"days":[{"date":"2025-11-02","logins":3},{"date":"2025-11-05","logins":10}]}
            """
        let server = try StubServer(answering: .init(body: body))
        defer { server.stop() }
        let run = try TerminalRun("usage", "show", "--tenant", "acme", environment: Run.environment(for: server), columns: 80)
        try await run.sees("▁▄▁▁█\nEach bar is 1 day. The highest is 10 logins.\n")
        #expect(try await run.end().status == 0)
        let piped = try await Run("usage", "show", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(!piped.output.contains("▁"))
    }

    @Test("windows of several groups are one bar, and the bars end at the present")
    func windows() throws {
        let usage = try JSONDecoder().decode(
            JSON.self,
            from: Data(
                """
                {"from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z","logins":4,"windows":[\
                {"from":"2026-11-21T00:00:00Z","kind":"a","logins":1},{"from":"2026-11-21T00:00:00Z","kind":"b","logins":1},\
                {"from":"2026-11-21T02:00:00Z","logins":2}]}
                """.utf8))
        let now = try Date("2026-11-21T02:30:00Z", strategy: .iso8601)
        #expect(ShowUsage.sparkline(usage, every: .hour, width: 80, now: now) == "█▁█\nEach bar is 1 hour. The highest is 2 logins.\n\n")
        #expect(ShowUsage.sparkline(usage, every: .hour, width: 2, now: now) == "██\nEach bar is 2 hours. The highest is 2 logins.\n\n")
        #expect(ShowUsage.sparkline(.object([:]), every: nil, width: 80, now: now) == "")
    }
}
