import ArgumentParser
import Foundation

/// Runs a step of a transfer in batches, at a limited rate.
struct TransferWork {
    enum Step: String {
        case collect, exchange

        /// The label of the progress bar.
        var title: String { self == .collect ? "Collecting" : "Exchanging" }
        /// The count of the remaining users.
        var remaining: String { self == .collect ? "users.pending" : "users.collected" }
    }

    /// The largest number of consecutive batches without a response from Apple.
    private static let longestSilence = 5
    /// The longest pause, in seconds. A longer one is not worth a person's time.
    private static let longestPause = 900

    let step: Step
    /// The path of the transfer, for example `tenants/acme/transfers/transfer_…`.
    let path: String
    /// The number of users per second.
    let rate: Int
    let client: APIClient

    /// The call for one batch: the users of one second.
    var batch: Call { Self.batch(step, path, rate: rate) }

    static func batch(_ step: Step, _ path: String, rate: Int) -> Call {
        .post("\(path)/\(step.rawValue)", ["limit": JSON(rate)])
    }

    /// Runs batches until no user remains.
    /// - Returns: the transfer after the last batch.
    func run() async throws -> Reply {
        let bar = ProgressBar(step.title, total: try await client.send(.get(path)).json[step.remaining]?.integer ?? 0)
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
            guard unanswered < Self.longestSilence, pause <= Self.longestPause else {
                throw Failure(
                    status: .failure, detail: pause > Self.longestPause ? "Apple asks to wait \(pause) s." : "Apple does not respond.",
                    nextStep: "Completed users are saved. Run the command again later, or pass a smaller --rate.")
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

/// The options for the speed of a step.
struct TransferPace: ParsableArguments {
    @Option(help: ArgumentHelp("The number of users per second to request from Apple, 1 to 100.", valueName: "users"))
    var rate = 10

    @Flag(help: "Retries the failed users.")
    var retryFailed = false

    func validate() throws {
        guard (1...100).contains(rate) else { throw ValidationError("--rate takes 1 to 100.") }
    }
}

extension Session {
    /// Runs a step and prints the state of the transfer. The person may interrupt it at any time.
    /// - Parameter repeated: the options for the next command in a message.
    func work(_ step: TransferWork.Step, _ path: String, _ pace: TransferPace, repeated: String) async throws {
        let interruption = Interruption(
            hint: "Completed users are saved. To continue: espalierctl connections transfer \(step.rawValue)\(repeated)")
        defer { interruption.end() }
        let client = try client()
        if pace.retryFailed { _ = try await client.send(.post("\(path)/retry")) }
        let reply = try await TransferWork(step: step, path: path, rate: pace.rate, client: client).run()
        try Terminal.standardOutput.write(json: options.json ? reply.text : View.transfer.details(of: reply.json), options.jq)
        let failed = reply.json["users.failed"]?.integer ?? 0
        let waiting = step == .collect ? 0 : reply.json["users.pending"]?.integer ?? 0
        guard failed + waiting == 0 else {
            func users(_ count: Int) -> String { counted("\(count)", "user") }
            throw Failure(
                status: .failure,
                detail: step == .collect
                    ? "Not collected: \(users(failed))." : "\(users(failed + waiting)) did not move.",
                nextStep:
                    "Show the users and reasons: espalierctl connections transfer report --state \(failed > 0 ? "failed" : "pending") --all\(repeated)"
            )
        }
    }
}
