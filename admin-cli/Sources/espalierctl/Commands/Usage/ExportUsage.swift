import ArgumentParser
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `espalierctl usage export`: usage as a file.
struct ExportUsage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Exports a tenant's usage, or the platform's, as a file.",
        discussion: """
            Formats: csv, jsonl and cloudevents have the ledger's logins, focus (FOCUS 1.2) what is charged for them, in whole months. What \
            happened in the last minutes may not be complete yet and is left for the next export; where the file ends is said.

            A connection that is lost is made again and goes on where it stopped. If the file is another one by then, because an application \
            was renamed, it is begun anew. At the end, rows, bytes and SHA-256 are compared with the server's: a file has its name only if all \
            of it is there.

            EXAMPLES
              espalierctl usage export --tenant acme --from 2026-11-01 --to 2026-12-01 \\
                --output november.csv
              espalierctl usage export --platform --format cloudevents --gzip \\
                --output usage.jsonl.gz
              espalierctl usage export --platform --format cloudevents --gzip \\
                --output usage.jsonl.gz --resume
              espalierctl usage export --tenant acme --format focus \\
                --from 2026-11-01 --to 2026-12-01
            """)

    @OptionGroup var owner: OwnerOption

    @Option(help: "In which form.")
    var format = UsageFormat.csv

    @Option(
        help: ArgumentHelp(
            "The first moment, as 2026-11-01 or 2026-11-01T00:00:00Z. Without it, this month's beginning.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The moment to stop before, in the same form.", valueName: "time"))
    var to: Instant?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to make; without it, the standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Compresses the file as gzip.")
    var gzip = false

    @Flag(help: "Goes on with the part of --output that an earlier try left.")
    var resume = false

    @OptionGroup var options: ReadOptions

    func validate() throws {
        if let from, let to, from.text == to.text {
            throw ValidationError("--to must be later than --from: it is the first moment that is left out.")
        }
        if output == "" { throw ValidationError("--output is empty. Pass the name of a file.") }
        if output == nil, resume { throw ValidationError("--resume needs the --output that it goes on with.") }
        if output == nil, options.json { throw ValidationError("--json says what was exported, beside a file: name one by --output.") }
    }

    /// How often a lost connection is made again without a byte in between.
    private static let repetitions = 5

    func run() async throws {
        let session = try Session(options)
        let call = Call.get(
            "usage/export",
            [
                "format": format.rawValue, "compression": gzip ? "gzip" : nil,
                "tenant": owner.platform ? nil : try session.tenant(owner.tenant),
                "from": from?.text, "to": to?.text,
            ])
        let client = try session.client()
        let file = try ExportFile(output, of: call, goesOn: resume)
        if file.bytes > 0 { Terminal.standardError.report("Continuing after \(counted("\(file.bytes)", "byte")).") }
        let manifest: Reply
        do { manifest = try await whole(call, from: client, into: file) } catch {
            file.removeIfEmpty()
            throw error
        }
        try file.finish()
        if options.json { return try Terminal.standardOutput.write(manifest.text) }
        let name = output.map { "\($0): " } ?? ""
        // The charges of an open month, and a range with a later end, are complete only up to the watermark.
        let end = [file.to, manifest.json["watermark"]?.string].compactMap(\.self).min() ?? "-"
        Terminal.standardError.report(
            "\(name)\(counted(manifest.json["rows"]?.text ?? "-", "row")), \(counted("\(file.bytes)", "byte")), up to \(end), SHA-256 \(file.digest.text)"
                .printable)
    }

    /// Fetches the file and compares it with the server's manifest.
    /// - Returns: the manifest.
    private func whole(_ call: Call, from client: APIClient, into file: ExportFile) async throws -> Reply {
        // Twice: what changes while it is fetched a second time is likely to change a third time.
        var isLast = false
        while true {
            do {
                try await fetch(call, from: client, into: file)
                let manifest = try await compared(file, call, client)
                // Who names no tenant is answered by a tenant's key with that tenant alone.
                if owner.platform, manifest.json["tenant_id"]?.string != nil { throw Self.notThePlatform }
                return manifest
            } catch let change as Changed {
                guard file.isFile, !isLast else { throw change.failure }
                Terminal.standardError.report("\(change.reason) Beginning anew.".printable)
                try file.beginAnew()
                isLast = true
            }
        }
    }

    /// Fetches what is not there yet, over as many connections as it takes.
    private func fetch(_ call: Call, from client: APIClient, into file: ExportFile) async throws {
        var attempt = 0
        while true {
            let before = file.bytes
            do {
                return try await receive(call, from: client, into: file)
            } catch let failure as Failure {
                throw failure
            } catch let change as Changed {
                throw change
            } catch let wait as Wait {
                attempt += 1
                guard attempt <= Self.repetitions else { throw wait.failure }
                Terminal.standardError.report(
                    "The server asks to wait \(wait.seconds) s; trying again (\(attempt) of \(Self.repetitions)).")
                try await Task.sleep(for: .seconds(wait.seconds))
            } catch {
                attempt = file.bytes > before ? 1 : attempt + 1
                guard attempt <= Self.repetitions else { throw lost(error, client) }
                Terminal.standardError.report("The connection was lost; trying again (\(attempt) of \(Self.repetitions)).")
                try await Task.sleep(for: .seconds(attempt))
            }
        }
    }

    /// What is here is no beginning of what the server has by now.
    private struct Changed: Error {
        let reason: String
        let failure: Failure
    }

    /// What the server asks for when it is busy.
    private struct Wait: Error {
        let seconds: Int
        let failure: Failure
    }

    private func receive(_ call: Call, from client: APIClient, into file: ExportFile) async throws {
        var call = pinned(call, file)
        if file.bytes > 0 {
            call.query.append(("skip", "\(file.bytes)"))
            call.entityTag = file.entityTag
        }
        var (refusal, refused): (HTTPURLResponse?, Data) = (nil, Data())
        var bar: ProgressBar?
        let sign = Progress("Exporting")
        var (drawn, told) = (ContinuousClock.now, 0)
        defer {
            bar?.end()
            sign.end()
        }
        for try await part in try client.download(call) {
            switch part {
            case .head(let response):
                guard response.statusCode == 200 else {
                    refusal = response
                    continue
                }
                guard let to = response.value(forHTTPHeaderField: "Export-To") else {
                    throw Failure.shape(requestID: response.value(forHTTPHeaderField: "Request-Id"))
                }
                if file.to == nil { try file.begin(to: to, entityTag: response.value(forHTTPHeaderField: "ETag")) }
                if !gzip, let rows = response.value(forHTTPHeaderField: "Export-Rows-Estimate").flatMap({ Int($0) }), rows > 0 {
                    sign.end()
                    bar = ProgressBar("Exporting", total: rows)
                }
            case .data(let data):
                guard refusal == nil else {
                    refused += data.prefix(1 << 20)
                    continue
                }
                try file.write(data)
                // A line of the terminal ten times a second is enough.
                if let bar, ContinuousClock.now - drawn > .milliseconds(100) {
                    bar.advance(file.lines - told, failed: 0)
                    (drawn, told) = (.now, file.lines)
                }
            }
        }
        guard let refusal else { return }
        let problem = Problem(refused, refusal)
        var failure = problem.failure
        // Another file, or one that is shorter than what is here.
        if refusal.statusCode == 412 || refusal.statusCode == 400 && file.bytes > 0 && problem.fields.contains("skip") {
            failure.nextStep = "Export it again."
            throw Changed(reason: failure.detail, failure: failure)
        }
        if [429, 503].contains(refusal.statusCode), let seconds = refusal.value(forHTTPHeaderField: "Retry-After").flatMap({ Int($0) }),
            (0...60).contains(seconds)
        {
            throw Wait(seconds: seconds, failure: failure)
        }
        throw failure
    }

    /// The same file, whatever the time is by now.
    private func pinned(_ call: Call, _ file: ExportFile) -> Call {
        guard let to = file.to else { return call }
        var call = call
        call.query.removeAll { $0.name == "to" }
        call.query.append(("to", to))
        return call
    }

    /// - Throws: ``Changed``, when what is here is not what the server has; ``Failure``.
    private func compared(_ file: ExportFile, _ call: Call, _ client: APIClient) async throws -> Reply {
        var manifest = pinned(call, file)
        manifest.path += "/manifest"
        var client = client
        // The server makes all of it again before it says a word.
        client.timeout = max(client.timeout, 3600)
        let reply = try await client.send(manifest)
        guard reply.json["bytes"] == .integer(file.bytes), reply.json["sha256"]?.string == file.digest.text else {
            let reason =
                "What has arrived is not what the server has by now: the ledger or a name has changed meanwhile, or it was damaged."
            throw Changed(
                reason: reason,
                failure: Failure(
                    status: .failure, detail: reason,
                    nextStep: output == nil ? "Export it again." : "Export it again, without --resume."))
        }
        return reply
    }

    private static let notThePlatform = Failure(
        status: .failure, detail: "This API key acts for one tenant: what came is that tenant's usage, not the platform's.",
        nextStep: "Use an operator's API key, or pass --tenant instead of --platform.")

    private func lost(_ error: any Error, _ client: APIClient) -> Failure {
        Failure(
            status: .failure, detail: "\(client.baseURL.absoluteString) can't be reached: \(error.localizedDescription)",
            nextStep: output == nil ? "Try again." : "Repeat the command with --resume.")
    }
}

enum UsageFormat: String, CaseIterable, ExpressibleByArgument {
    case csv, jsonl, cloudevents, focus
}
