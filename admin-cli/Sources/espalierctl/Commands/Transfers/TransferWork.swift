import ArgumentParser
import Foundation

/// A step of a transfer, batch after batch, not faster than it may be.
struct TransferWork {
    enum Step: String {
        case collect, exchange

        /// What a person sees of it.
        var title: String { self == .collect ? "Collecting" : "Exchanging" }
        /// In which state those are who are left.
        var left: String { self == .collect ? "users.pending" : "users.collected" }
    }

    /// How many batches without a single answer of Apple's are enough.
    private static let patience = 5
    /// The longest pause, in seconds, that is worth a person's time.
    private static let longestPause = 900

    let step: Step
    /// As in `tenants/acme/transfers/transfer_…`.
    let path: String
    /// Users a second.
    let rate: Int
    let client: APIClient

    /// One batch: as many users as a second has time for.
    var batch: Call { Self.batch(step, path, rate: rate) }

    static func batch(_ step: Step, _ path: String, rate: Int) -> Call {
        .post("\(path)/\(step.rawValue)", ["limit": JSON(rate)])
    }

    /// Works until nobody is left.
    /// - Returns: the transfer as it is then.
    func run() async throws -> Reply {
        let bar = ProgressBar(step.title, total: try await client.send(.get(path)).json[step.left]?.integer ?? 0)
        defer { bar.end() }
        var unanswered = 0
        while true {
            let next = ContinuousClock.now + .seconds(1)
            let answer = try await client.send(batch).json
            guard let done = answer["done"]?.integer, let failed = answer["failed"]?.integer, let isFinished = answer["finished"]
            else { throw Failure.shape() }
            bar.advance(done + failed, failed: failed)
            if isFinished == .bool(true) { break }
            unanswered = done + failed == 0 ? unanswered + 1 : 0
            let pause = answer["retry_after"]?.integer ?? 0
            guard unanswered < Self.patience, pause <= Self.longestPause else {
                throw Failure(
                    status: .failure, detail: pause > Self.longestPause ? "Apple asks to wait \(pause) s." : "Apple gives no answers.",
                    nextStep: "Nothing is lost. Run the command again later, with a smaller --rate perhaps.")
            }
            if pause > 0 {
                bar.end()
                Terminal.standardError.report("Apple asks to wait \(pause) s.")
            }
            try await Task.sleep(until: max(next, .now + .seconds(pause)))
        }
        return try await client.send(.get(path))
    }
}

/// How a step of a transfer is worked off.
struct TransferPace: ParsableArguments {
    @Option(help: ArgumentHelp("For how many users Apple is asked in a second, 1 to 100.", valueName: "users"))
    var rate = 10

    @Flag(help: "Asks once more for those who failed.")
    var retryFailed = false

    func validate() throws {
        guard (1...100).contains(rate) else { throw ValidationError("--rate takes 1 to 100.") }
    }
}

extension Session {
    /// Works off a step and tells how the transfer stands, to be interrupted at any moment.
    func work(_ step: TransferWork.Step, _ path: String, _ pace: TransferPace, again: String) async throws {
        let interruption = Interruption(saying: "Nothing is lost. To go on: espalierctl connections transfer \(step.rawValue)\(again)")
        defer { interruption.end() }
        let client = try client()
        if pace.retryFailed { _ = try await client.send(.post("\(path)/retry")) }
        let reply = try await TransferWork(step: step, path: path, rate: pace.rate, client: client).run()
        try Terminal.standardOutput.write(options.json ? reply.text : View.transfer.details(of: reply.json))
        let failed = reply.json["users.failed"]?.integer ?? 0
        let waiting = step == .collect ? 0 : reply.json["users.pending"]?.integer ?? 0
        guard failed + waiting == 0 else {
            func users(_ count: Int) -> String { counted("\(count)", "user") }
            throw Failure(
                status: .failure,
                detail: step == .collect ? "\(users(failed)) can't be collected." : "\(users(failed + waiting)) didn't move.",
                nextStep:
                    "See who, and why: espalierctl connections transfer report --state \(failed > 0 ? "failed" : "pending") --all\(again)")
        }
    }
}
