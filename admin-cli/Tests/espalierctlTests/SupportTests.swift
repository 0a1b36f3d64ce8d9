import Foundation
import Testing

@testable import espalierctl

@Suite("support accesses")
struct SupportTests {
    private static let planned = time(160 * 60)
    /// An access that was ended 20 minutes ago, 3 hours before its planned end.
    private static let ended = Examples.supportAccess
        .replacing("active", with: "ended").replacing("2026-11-21T08:00:00Z", with: time(-60 * 60))
        .replacing(
            #""ends_at":"2026-11-21T09:00:00Z""#,
            with: #""ends_at":"\#(planned)","ended_at":"\#(time(-20 * 60 - 5))","ended_by":"apikey_1""#)

    private static func time(_ seconds: Double) -> String { Date.now.addingTimeInterval(seconds).formatted(.iso8601) }

    @Test("an ended access shows its end, and not the planned one")
    func end() async throws {
        let server = try StubServer { .init(body: $0.method == "GET" ? Examples.list(Self.ended) : Self.ended) }
        defer { server.stop() }
        for columns: UInt16 in [60, 80, 200] {
            let run = try TerminalRun("support", "list", "--tenant", "acme", environment: Run.environment(for: server), columns: columns)
            #expect(try await run.end().status == 0)
            #expect(run.screen.contains("ENDS") && run.screen.contains("20 min ago") && !run.screen.contains("in 2 h"), "\(run.screen)")
        }
        let details = try TerminalRun(
            "support", "end", "support_1", "--tenant", "acme", environment: Run.environment(for: server), columns: 80)
        #expect(try await details.end().status == 0)
        #expect(details.screen.contains("(20 min ago)") && !details.screen.contains("(in "), "\(details.screen)")
        let json = try await Run(
            "support", "list", "--tenant", "acme", "--jq", ".data[].ends_at", environment: Run.environment(for: server))
        #expect(json.output == "\(Self.planned)\n")
    }

    @Test("a running access shows its planned end")
    func running() async throws {
        let access = Examples.supportAccess.replacing("2026-11-21T09:00:00Z", with: Self.time(40 * 60 + 55))
        let server = try StubServer(answering: .init(body: Examples.list(access)))
        defer { server.stop() }
        for columns: UInt16 in [60, 80] {
            let run = try TerminalRun("support", "list", "--tenant", "acme", environment: Run.environment(for: server), columns: columns)
            #expect(try await run.end().status == 0)
            #expect(run.screen.contains("in 40 min"), "\(run.screen)")
        }
    }
}
