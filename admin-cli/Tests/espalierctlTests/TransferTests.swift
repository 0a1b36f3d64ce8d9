import Foundation
import Synchronization
import Testing

@testable import espalierctl

/// A platform with one transfer, whose users are pending, collected, moved or failed.
private final class TransferPlatform: Sendable {
    struct State {
        var exists = false
        /// Whether the tenant uses the shared connection.
        var isShared = false
        /// The status of a later transfer. Nil without one.
        var another: String?
        var hasBegun = false
        var status = "open"
        var pending = 0
        var collected = 0
        var moved = 0
        var failed = 0
        /// The number of next batches without a response from Apple, and the wait in seconds that Apple asks for.
        var throttled = 0
        var pause = 0
        /// The number of batches with a response before them. Nil means 0.
        var answered: Int?
        /// The number of next users that Apple rejects.
        var refused = 0
    }

    let state: Mutex<State>
    private let listening: Mutex<StubServer?> = Mutex(nil)

    var server: StubServer { listening.withLock { $0! } }
    /// The changing requests, without the reads.
    var batches: [String] {
        server.received.filter { $0.method == "POST" }.map { "\($0.path.split(separator: "/").last ?? "") \($0.body)" }
    }

    init(_ state: State) throws {
        self.state = Mutex(state)
        let server = try StubServer { [weak self] request in
            self?.state.withLock { Self.answer(request, &$0) } ?? .problem(500, "{}")
        }
        listening.withLock { $0 = server }
    }

    private static func answer(_ request: StubServer.Request, _ state: inout State) -> StubServer.Answer {
        let body = try? JSONDecoder().decode(JSON.self, from: Data(request.body.utf8))
        let transfer = Examples.transfer(
            state.pending, state.collected, state.moved, state.failed, status: state.status, hasBegun: state.hasBegun)
        switch "\(request.method) \(request.path.dropFirst("/v1/tenants/acme".count))" {
        case "GET /connections": return .init(body: state.isShared ? Examples.list() : Examples.list(Examples.connection()))
        case "GET /transfers":
            let another = state.another.map {
                Examples.transfer(status: $0).replacingOccurrences(of: "transfer_1", with: "transfer_2")
            }
            return .init(
                body: state.exists ? Examples.list(([another, transfer].compactMap(\.self)).joined(separator: ",")) : Examples.list())
        case "POST /transfers":
            state.exists = true
            return .init(status: 201, body: transfer)
        case "GET /transfers/transfer_1": return .init(body: transfer)
        case "POST /transfers/transfer_1/close": return .init(body: transfer)
        case "POST /transfers/transfer_1/retry":
            (state.pending, state.failed) = (state.pending + state.failed, 0)
            return .init(body: transfer)
        case "POST /transfers/transfer_1/collect", "POST /transfers/transfer_1/exchange":
            let isCollecting = request.path.hasSuffix("collect")
            let left = isCollecting ? state.pending : state.collected
            let batch = min(left, body?["limit"]?.integer ?? 50)
            if let answered = state.answered, answered > 0 {
                state.answered = answered - 1
            } else if state.throttled > 0 {
                state.throttled -= 1
                return .init(
                    body:
                        #"{"object":"transfer_batch","done":0,"failed":0,"put_off":\#(batch),"finished":false,"retry_after":\#(state.pause)}"#
                )
            }
            let refused = min(state.refused, batch)
            state.refused -= refused
            state.failed += refused
            if isCollecting {
                (state.pending, state.collected) = (left - batch, state.collected + batch - refused)
            } else {
                (state.collected, state.moved) = (left - batch, state.moved + batch - refused)
            }
            return .init(
                body:
                    #"{"object":"transfer_batch","done":\#(batch - refused),"failed":\#(refused),"put_off":0,"finished":\#(left == batch)}"#
            )
        default: return .problem(500, #"{"detail":"\#(request.call) was not expected."}"#)
        }
    }
}

@Suite("espalierctl connections transfer")
struct TransferTests {
    private func run(_ platform: TransferPlatform, _ arguments: String...) async throws -> Run {
        try await Run(
            arguments: ["connections", "transfer"] + arguments + ["--tenant", "acme"], environment: Run.environment(for: platform.server))
    }

    @Test("collect starts a transfer, runs one batch per second and shows the result")
    func collects() async throws {
        let platform = try TransferPlatform(.init(pending: 120))
        defer { platform.server.stop() }
        let run = try await run(platform, "collect", "--to-team-id", "Z9Y8X7W6V5", "--rate", "60")
        #expect(run.status == 0, "\(run.messages)")
        #expect(
            platform.batches == [
                #"transfers {"connection_id":"connection_1","to_team_id":"Z9Y8X7W6V5"}"#, #"collect {"limit":60}"#,
                #"collect {"limit":60}"#,
            ])
        #expect(run.output.contains(/Collected +120/) && run.output.contains(/Pending +0/))
        #expect(run.messages == "Started the transfer.\n")
    }

    @Test(
        "without a step, the command changes nothing and prints the state and the next step",
        arguments: [
            (
                TransferPlatform.State(exists: true, pending: 3, collected: 2),
                "Next: espalierctl connections transfer collect --tenant acme"
            ),
            (
                .init(exists: true, collected: 2),
                "Next: transfer the app at Apple, activate a connection to Z9Y8X7W6V5, then espalierctl connections transfer exchange"
            ),
            (
                .init(exists: true, hasBegun: true, collected: 2, moved: 1),
                "Next: espalierctl connections transfer exchange --tenant acme"
            ),
            (
                .init(exists: true, hasBegun: true, moved: 3),
                "Next: espalierctl connections transfer report --all --tenant acme, then espalierctl connections transfer close --tenant acme"
            ),
            (.init(exists: true, hasBegun: true, status: "over", collected: 2), "Apple's 60 days have passed. Next: espalierctl"),
            (.init(exists: true, status: "closing", collected: 2), "No more users can move."),
            (.init(exists: true, status: "closed", collected: 2), ""),
        ])
    fileprivate func bare(state: TransferPlatform.State, next: String) async throws {
        let platform = try TransferPlatform(state)
        defer { platform.server.stop() }
        let run = try await run(platform)
        #expect(run.status == 0, "\(run.messages)")
        #expect(next.isEmpty ? run.messages.isEmpty : run.messages.hasPrefix(next), "\(run.messages)")
        #expect(run.output.contains(/Collected +\d/))
        #expect(platform.server.received.allSatisfy { $0.method == "GET" })
    }

    @Test("without a step and a transfer, the error names the command to start one, and options of a step are rejected")
    func bareWithout() async throws {
        let platform = try TransferPlatform(.init(pending: 3))
        defer { platform.server.stop() }
        let run = try await run(platform)
        #expect(run.status == 2)
        #expect(run.messages.contains("Start one: espalierctl connections transfer collect --to-team-id ID --tenant acme\n"))
        #expect(try await self.run(platform, "--to-team-id", "Z9Y8X7W6V5").status == 2)
        #expect(try await self.run(platform, "connection_1").status == 2)
        #expect(platform.server.received.allSatisfy { $0.method == "GET" })
    }

    @Test("the error for the shared connection names the command that moves its users")
    func shared() async throws {
        let platform = try TransferPlatform(.init(isShared: true))
        defer { platform.server.stop() }
        let run = try await run(platform, "collect", "--to-team-id", "Z9Y8X7W6V5")
        #expect(run.status == 2)
        #expect(run.messages.contains("shared connection"))
        #expect(run.messages.contains("connections activate ID --existing-users relink --tenant acme"))
        #expect(platform.batches.isEmpty)
    }

    @Test("close reports that identifiers are still being erased, and a closing transfer does not count as open")
    func closing() async throws {
        let platform = try TransferPlatform(.init(exists: true, status: "closing", collected: 7))
        defer { platform.server.stop() }
        let run = try await run(platform, "close", "--confirm", "acme")
        #expect(run.status == 0)
        #expect(run.messages.contains("Espalier is erasing the transfer identifiers."))
        #expect(run.output.contains(/Status +closing/))
        platform.state.withLock { ($0.status, $0.another) = ("open", "closing") }
        #expect(try await self.run(platform).output.contains(/ID +transfer_1/))
    }

    @Test("another run continues the open transfer, exits with 1 if users failed, and can retry them")
    func resumes() async throws {
        let platform = try TransferPlatform(.init(exists: true, pending: 5, collected: 7, refused: 2))
        defer { platform.server.stop() }
        let run = try await run(platform, "collect", "--json")
        #expect(run.status == 1)
        #expect(
            run.messages.contains("Not collected: 2 users.")
                && run.messages.contains("transfer report --state failed"))
        #expect(try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))["users.failed"]?.integer == 2)
        #expect(platform.batches == [#"collect {"limit":10}"#])
        #expect(try await self.run(platform, "collect", "--retry-failed").status == 0)
        #expect(platform.batches == [#"collect {"limit":10}"#, "retry ", #"collect {"limit":10}"#])
    }

    @Test("exchange exits with 1 until all users have moved")
    func exchanges() async throws {
        let platform = try TransferPlatform(.init(exists: true, pending: 1, collected: 4))
        defer { platform.server.stop() }
        let run = try await run(platform, "exchange")
        #expect(run.status == 1)
        #expect(run.messages.contains("1 user did not move.") && run.messages.contains("--state pending"))
        #expect(run.output.contains(/Moved +4/))
        platform.state.withLock { $0.pending = 0 }
        #expect(try await self.run(platform, "exchange").status == 0)
    }

    @Test("the command waits and reports Apple's pause, and stops if the pause is too long")
    func throttled() async throws {
        let platform = try TransferPlatform(.init(exists: true, pending: 3, throttled: 1, pause: 1))
        defer { platform.server.stop() }
        let run = try await run(platform, "collect")
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages == "Apple asks to wait 1 s.\n")
        platform.state.withLock { ($0.pending, $0.throttled, $0.pause) = (3, 9, 3600) }
        let long = try await self.run(platform, "collect")
        #expect(long.status == 1)
        #expect(long.messages.contains("Apple asks to wait 3600 s.") && long.messages.contains("Completed users are saved."))
    }

    @Test(
        "a missing value is reported before the first change",
        arguments: [["collect"], ["exchange"], ["report"], ["collect", "--rate", "0"]])
    func missing(arguments: [String]) async throws {
        let platform = try TransferPlatform(.init())
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: ["connections", "transfer"] + arguments + ["--tenant", "acme"], environment: Run.environment(for: platform.server))
        #expect(run.status == 2)
        #expect(platform.batches.isEmpty)
    }

    @Test("--dry-run prints the requests")
    func dryRun() async throws {
        let platform = try TransferPlatform(.init())
        defer { platform.server.stop() }
        let run = try await run(
            platform, "collect", "--to-team-id", "Z9Y8X7W6V5", "--connection", "connection_1", "--dry-run", "--json")
        #expect(run.status == 0, "\(run.messages)")
        let calls = try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8)).elements
        #expect(calls?.map { $0["path"]?.string } == ["/v1/tenants/acme/transfers", "/v1/tenants/acme/transfers/ID/collect"])
        #expect(platform.server.received.isEmpty)
    }

    @Test("a person sees the progress, and Ctrl-C prints the command to continue")
    func atTerminal() async throws {
        let platform = try TransferPlatform(.init(exists: true, pending: 40, throttled: 1, pause: 600, answered: 1, refused: 1))
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "connections", "transfer", "collect", "--tenant", "acme", "--rate", "10", environment: Run.environment(for: platform.server))
        try await run.sees("Collecting [..............................] 0 of 40")
        try await run.sees("Collecting [#######.......................] 10 of 40, 1 failed")
        try await run.sees("Apple asks to wait 600 s.")
        run.interrupt()
        try await run.sees("To continue: espalierctl connections transfer collect --tenant acme")
        #expect(try await run.end().status == 130)
        #expect(platform.state.withLock { $0.pending } < 40)
    }
}
