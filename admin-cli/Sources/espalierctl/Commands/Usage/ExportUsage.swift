import ArgumentParser
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `espalierctl usage export`: exports usage as a file.
struct ExportUsage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Exports the usage of a tenant or the platform as a file.",
        discussion: """
            The formats csv, jsonl and cloudevents contain the logins of the ledger. The format focus (FOCUS 1.2) contains their charges in \
            whole months. The last minutes may still be incomplete. They are left for the next export, and the command prints the end time \
            of the file.

            After a lost connection, the export reconnects and continues. If the content has changed, for example because an application was \
            renamed, the export starts again. At the end, the command compares rows, bytes and SHA-256 with the server. Only a complete \
            file gets its name.

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

    @Option(help: "The format of the file.")
    var format = UsageFormat.csv

    @Option(
        help: ArgumentHelp(
            "The start time (inclusive): 2026-11-01 or 2026-11-01T00:00:00Z. By default, the start of this month.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The end time (exclusive), in the same form.", valueName: "time"))
    var to: Instant?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The new file. By default, the standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Compresses the file as gzip.")
    var gzip = false

    @Flag(help: "Continues the incomplete file of an earlier run with the same --output.")
    var resume = false

    @OptionGroup var options: ReadOptions

    func validate() throws {
        if let from, let to, from.text == to.text {
            throw ValidationError("--to must be later than --from. It is the exclusive end time.")
        }
        if output == "" { throw ValidationError("--output is empty. Pass the name of a file.") }
        if output == nil, resume { throw ValidationError("--resume needs --output, the file to continue.") }
        if output == nil, options.json { throw ValidationError("--json prints a description of the exported file. Pass --output with it.") }
    }

    /// The number of retries without a received byte in between.
    private static let retries = 5

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
        let file = try ExportFile(output, of: call, resumes: resume)
        if file.bytes > 0 { Terminal.standardError.report("Continuing after \(counted("\(file.bytes)", "byte")).") }
        let manifest: Reply
        do { manifest = try await whole(call, from: client, into: file) } catch {
            file.removeIfEmpty()
            throw error
        }
        try file.finish()
        if options.json { return try Terminal.standardOutput.write(json: manifest.text, options.jq) }
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
        // Two attempts. If the content changes during the second one, it is likely to change again.
        var isLast = false
        while true {
            do {
                try await fetch(call, from: client, into: file)
                let manifest = try await compared(file, call, client)
                // Without a tenant in the call, a tenant's API key receives only its own tenant's usage.
                if owner.platform, manifest.json["tenant_id"]?.string != nil { throw Self.notThePlatform }
                return manifest
            } catch let change as Changed {
                guard file.isFile, !isLast else { throw change.failure }
                Terminal.standardError.report("\(change.reason) Starting again.".printable)
                try file.restart()
                isLast = true
            }
        }
    }

    /// Fetches the missing part of the file, with as many connections as needed.
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
                guard attempt <= Self.retries else { throw wait.failure }
                Terminal.standardError.report(
                    "The server asks to wait \(wait.seconds) s. Retry \(attempt) of \(Self.retries) follows.")
                try await Task.sleep(for: .seconds(wait.seconds))
            } catch {
                attempt = file.bytes > before ? 1 : attempt + 1
                guard attempt <= Self.retries else { throw lost(error, client) }
                Terminal.standardError.report("The connection was lost. Retry \(attempt) of \(Self.retries) follows.")
                try await Task.sleep(for: .seconds(attempt))
            }
        }
    }

    /// The server's file no longer starts with the received part.
    private struct Changed: Error {
        let reason: String
        let failure: Failure
    }

    /// The wait that a busy server asks for.
    private struct Wait: Error {
        let seconds: Int
        let failure: Failure
    }

    private func receive(_ call: Call, from client: APIClient, into file: ExportFile) async throws {
        var (call, client) = (pinned(call, file), client)
        if file.bytes > 0 {
            // The server creates the received part again before it responds.
            client.timeout = max(client.timeout, 3600)
            call.query.append(("skip", "\(file.bytes)"))
            call.entityTag = file.entityTag
        }
        var (refusal, refused): (HTTPURLResponse?, Data) = (nil, Data())
        var bar: ProgressBar?
        let spinner = Progress("Exporting")
        var (drawn, shownLines) = (ContinuousClock.now, 0)
        defer {
            bar?.end()
            spinner.end()
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
                if file.to == nil { try file.record(to: to, entityTag: response.value(forHTTPHeaderField: "ETag")) }
                if !gzip, let rows = response.value(forHTTPHeaderField: "Export-Rows-Estimate").flatMap({ Int($0) }), rows > 0 {
                    spinner.end()
                    bar = ProgressBar("Exporting", total: rows)
                }
            case .data(let data):
                guard refusal == nil else {
                    refused += data.prefix(1 << 20)
                    continue
                }
                try file.write(data)
                // The bar is redrawn at most 10 times per second.
                if let bar, ContinuousClock.now - drawn > .milliseconds(100) {
                    bar.advance(file.lines - shownLines, failed: 0)
                    (drawn, shownLines) = (.now, file.lines)
                }
            }
        }
        guard let refusal else { return }
        let problem = Problem(refused, refusal)
        var failure = problem.failure
        // The server has another file, or one that is shorter than the received part.
        if refusal.statusCode == 412 || refusal.statusCode == 400 && file.bytes > 0 && problem.fields.contains("skip") {
            failure.nextStep = "Run the export again."
            throw Changed(reason: failure.detail, failure: failure)
        }
        if [429, 503].contains(refusal.statusCode), let seconds = refusal.value(forHTTPHeaderField: "Retry-After").flatMap({ Int($0) }),
            (0...60).contains(seconds)
        {
            throw Wait(seconds: seconds, failure: failure)
        }
        throw failure
    }

    /// The call with the end time of the first response, so that later calls read the same file.
    private func pinned(_ call: Call, _ file: ExportFile) -> Call {
        guard let to = file.to else { return call }
        var call = call
        call.query.removeAll { $0.name == "to" }
        call.query.append(("to", to))
        return call
    }

    /// Compares the received file with the server's manifest.
    /// - Throws: ``Changed`` if the file differs, and ``Failure``.
    private func compared(_ file: ExportFile, _ call: Call, _ client: APIClient) async throws -> Reply {
        var manifest = pinned(call, file)
        manifest.path += "/manifest"
        var client = client
        // The server creates the whole file again before it responds.
        client.timeout = max(client.timeout, 3600)
        let reply = try await client.send(manifest)
        guard reply.json["bytes"] == .integer(file.bytes), reply.json["sha256"]?.string == file.digest.text else {
            let reason =
                "The received file differs from the server's: the ledger or a name has changed, or the file was damaged on the way."
            throw Changed(
                reason: reason,
                failure: Failure(
                    status: .failure, detail: reason,
                    nextStep: output == nil ? "Run the export again." : "Run the export again without --resume."))
        }
        return reply
    }

    private static let notThePlatform = Failure(
        status: .failure, detail: "This API key belongs to a tenant. It exports only that tenant's usage, not the platform's.",
        nextStep: "Use an operator's API key, or pass --tenant instead of --platform.")

    private func lost(_ error: any Error, _ client: APIClient) -> Failure {
        Failure(
            status: .failure, detail: "\(client.baseURL.absoluteString) is unreachable: \(error.localizedDescription)",
            nextStep: output == nil ? "Run the export again." : "Run the command again with --resume.")
    }
}

enum UsageFormat: String, CaseIterable, ExpressibleByArgument {
    case csv, jsonl, cloudevents, focus
}
