import Crypto
import Foundation
import Synchronization
import Testing

@testable import espalierctl

@Suite("espalierctl usage export")
struct ExportUsageTests {
    private static let rows = "id,tenant\nlogin_1,acme\nlogin_2,acme\n"
    private static let to = "2026-11-21T10:00:00Z"

    private static func digest(_ text: String) -> String {
        var digest = SHA256()
        digest.update(data: Data(text.utf8))
        return digest.text
    }

    private static func manifest(_ text: String = rows) -> StubServer.Answer {
        .init(
            body: #"{"object":"usage_export_manifest","format":"csv","from":"2026-11-01T00:00:00Z","to":"\#(to)","watermark":"\#(to)","#
                + #""rows":2,"bytes":\#(text.utf8.count),"sha256":"\#(digest(text))"}"#)
    }

    private static func part(_ text: String) -> StubServer.Answer {
        .init(headers: ["Content-Type": "text/csv", "Export-To": to, "Export-Rows-Estimate": "2"], body: text)
    }

    /// A server with these rows. With `cut`, the first response is cut off after this number of bytes.
    private static func server(cut: Int? = nil) throws -> StubServer {
        let asked = Mutex(0)
        return try StubServer { request in
            if request.path.hasSuffix("/manifest") { return manifest() }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            let skip = URLComponents(string: request.target)?.queryItems?.first { $0.name == "skip" }?.value.flatMap { Int($0) } ?? 0
            var answer = part(String(rows.dropFirst(skip)))
            if let cut, count == 1 {
                // One chunk without a following chunk or an end.
                answer.headers["Transfer-Encoding"] = "chunked"
                answer.body = String(cut, radix: 16) + "\r\n" + rows.prefix(cut) + "\r\n"
            }
            return answer
        }
    }

    @Test("the file goes to the standard output, and its summary to the standard error")
    func output() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let run = try await Run(
            "usage", "export", "--tenant", "acme", "--from", "2026-11-01", "--to", "2026-12-01", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.output == Self.rows)
        #expect(run.messages == "2 rows, \(Self.rows.utf8.count) bytes, up to \(Self.to), SHA-256 \(Self.digest(Self.rows))\n")
        #expect(
            server.calls == [
                "GET /v1/usage/export?format=csv&tenant=acme&from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z",
                "GET /v1/usage/export/manifest?format=csv&tenant=acme&from=2026-11-01T00:00:00Z&to=\(Self.to)",
            ])
        // A response with trailers would end the program.
        #expect(server.received.allSatisfy { $0.header("TE") == nil })
    }

    @Test("an export of the platform has no tenant, and can be compressed")
    func platform() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let run = try await Run("usage", "export", "--platform", "--format", "jsonl", "--gzip", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(server.calls.first == "GET /v1/usage/export?format=jsonl&compression=gzip")
    }

    @Test("a complete file gets its name, and --json prints the manifest")
    func file() async throws {
        let (server, folder) = (try Self.server(), try TemporaryFolder())
        defer { server.stop() }
        let arguments = ["usage", "export", "--tenant", "acme", "--output", folder.path("november.csv")]
        let run = try await Run(arguments: arguments + ["--json"], environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.output == Self.manifest().body + "\n")
        #expect(try folder.text("november.csv") == Self.rows)
        #expect(!folder.exists("november.csv.part") && !folder.exists("november.csv.part.json"))
        let again = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(again.status == 2)
        #expect(again.messages.contains("already exists"))
    }

    @Test("after a lost connection, the export reconnects and continues", arguments: [true, false])
    func lost(toFile: Bool) async throws {
        let (server, folder) = (try Self.server(cut: 15), try TemporaryFolder())
        defer { server.stop() }
        let arguments = ["usage", "export", "--tenant", "acme"] + (toFile ? ["--output", folder.path("november.csv")] : [])
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.contains("The connection was lost"))
        #expect(try (toFile ? folder.text("november.csv") : run.output) == Self.rows)
        #expect(server.calls.dropFirst().first == "GET /v1/usage/export?format=csv&tenant=acme&to=\(Self.to)&skip=15")
    }

    @Test("--resume continues an incomplete file to its recorded end time, only with the same command")
    func resumed() async throws {
        let (server, folder) = (try Self.server(), try TemporaryFolder())
        defer { server.stop() }
        try folder.file("november.csv.part", String(Self.rows.prefix(11)))
        try folder.file("november.csv.part.json", #"{"call":"v1/usage/export?format=csv&tenant=acme","to":"2026-11-20T00:00:00Z"}"#)
        func run(_ arguments: String...) async throws -> Run {
            try await Run(
                arguments: ["usage", "export", "--tenant", "acme", "--output", folder.path("november.csv")] + arguments,
                environment: Run.environment(for: server))
        }
        let other = try await run("--format", "jsonl", "--resume")
        #expect(other.status == 2)
        #expect(other.messages.contains("another export"))
        #expect(server.calls.isEmpty)
        let resumed = try await run("--resume")
        #expect(resumed.status == 0, "\(resumed.messages)")
        #expect(try folder.text("november.csv") == Self.rows)
        #expect(server.calls.first == "GET /v1/usage/export?format=csv&tenant=acme&to=2026-11-20T00:00:00Z&skip=11")
    }

    @Test("a damaged file is a failure, and does not get its name")
    func damaged() async throws {
        let server = try StubServer { $0.path.hasSuffix("/manifest") ? Self.manifest("other\n") : Self.part(Self.rows) }
        let folder = try TemporaryFolder()
        defer { server.stop() }
        let run = try await Run(
            "usage", "export", "--tenant", "acme", "--output", folder.path("a.csv"), environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("without --resume"))
        #expect(server.calls.filter { !$0.contains("manifest") }.count == 2)
        #expect(!folder.exists("a.csv") && folder.exists("a.csv.part"))
    }

    private static let renamed = StubServer.Answer.problem(
        412, #"{"title":"No","detail":"It is another file by now.","code":"precondition_failed"}"#)

    /// A server after the renaming of an application. It rejects a request to continue the old file.
    private static func renamingServer() throws -> StubServer {
        try StubServer { request in
            if request.path.hasSuffix("/manifest") { return manifest() }
            if let match = request.header("If-Match"), match != "\"new\"" { return renamed }
            var answer = part(rows)
            answer.headers["ETag"] = "\"new\""
            return answer
        }
    }

    @Test("if the server's file has changed, the old part is deleted and the export starts again")
    func renamed() async throws {
        let (server, folder) = (try Self.renamingServer(), try TemporaryFolder())
        defer { server.stop() }
        try folder.file("november.csv.part", "id,tenant\nlogin_1,before")
        try folder.file(
            "november.csv.part.json", #"{"call":"v1/usage/export?format=csv&tenant=acme","to":"\#(Self.to)","entityTag":"\"old\""}"#)
        let run = try await Run(
            "usage", "export", "--tenant", "acme", "--output", folder.path("november.csv"), "--resume",
            environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.contains("It is another file by now. Starting again."))
        #expect(try folder.text("november.csv") == Self.rows)
        #expect(server.received.first?.header("If-Match") == "\"old\"")
        #expect(
            server.calls.dropFirst().first == "GET /v1/usage/export?format=csv&tenant=acme", "the end time is new, and there is no skip")
        #expect(!folder.exists("november.csv.part") && !folder.exists("november.csv.part.json"))
    }

    @Test("a changed file is not joined to the part on the standard output")
    func renamedOnOutput() async throws {
        let asked = Mutex(0)
        let server = try StubServer { request in
            if request.path.hasSuffix("/manifest") { return Self.manifest() }
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            guard isFirst else { return request.header("If-Match") == "\"old\"" ? Self.renamed : Self.part("spliced") }
            var answer = Self.part("f\r\n" + Self.rows.prefix(15) + "\r\n")
            answer.headers["Transfer-Encoding"] = "chunked"
            answer.headers["ETag"] = "\"old\""
            return answer
        }
        defer { server.stop() }
        let run = try await Run("usage", "export", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.output == Self.rows.prefix(15))
        #expect(run.messages.contains("It is another file by now.") && run.messages.contains("Run the export again."))
    }

    @Test("a file that changes during the export is fetched again")
    func changedMeanwhile() async throws {
        let asked = Mutex(0)
        let server = try StubServer { request in
            if request.path.hasSuffix("/manifest") { return Self.manifest() }
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            return Self.part(isFirst ? "id,tenant\nlogin_1,before\n" : Self.rows)
        }
        let folder = try TemporaryFolder()
        defer { server.stop() }
        let run = try await Run(
            "usage", "export", "--tenant", "acme", "--output", folder.path("a.csv"), environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.contains("Starting again."))
        #expect(try folder.text("a.csv") == Self.rows)
    }

    @Test("a tenant's file is not accepted as the platform's")
    func ofTenant() async throws {
        let manifest = StubServer.Answer(
            body: #"{"to":"\#(Self.to)","rows":2,"bytes":\#(Self.rows.utf8.count),"sha256":"\#(Self.digest(Self.rows))","#
                + #""tenant_id":"tenant_01jd8x3v6qf9wr2m5tzk7h4c0n"}"#)
        let server = try StubServer { $0.path.hasSuffix("/manifest") ? manifest : Self.part(Self.rows) }
        let folder = try TemporaryFolder()
        defer { server.stop() }
        let run = try await Run(
            "usage", "export", "--platform", "--output", folder.path("a.csv"), environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("operator's"))
        #expect(!folder.exists("a.csv"))
    }

    @Test("the summary contains the time up to which an open month is complete")
    func open() async throws {
        let manifest = StubServer.Answer(
            body: #"{"to":"\#(Self.to)","watermark":"2026-11-20T09:58:00Z","rows":2,"bytes":\#(Self.rows.utf8.count),"#
                + #""sha256":"\#(Self.digest(Self.rows))"}"#)
        let server = try StubServer { $0.path.hasSuffix("/manifest") ? manifest : Self.part(Self.rows) }
        defer { server.stop() }
        let run = try await Run("usage", "export", "--tenant", "acme", "--format", "focus", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.contains("up to 2026-11-20T09:58:00Z,"))
    }

    @Test("a rejected export has the format of every failure")
    func refused() async throws {
        let server = try StubServer(answering: .problem(403, #"{"title":"No","detail":"It may not.","code":"insufficient_scope"}"#))
        defer { server.stop() }
        let folder = try TemporaryFolder()
        for output in [[], ["--output", "november.csv"]] {
            let run = try await Run(
                arguments: ["usage", "export", "--tenant", "acme"] + output, environment: Run.environment(for: server), folder: folder.url)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.messages.contains("It may not."))
        }
        #expect(!folder.exists("november.csv.part"))
    }

    @Test(
        "invalid options are an invalid command line",
        arguments: [
            ["--format", "xls"], ["--tenant", "acme", "--output", ""], ["--resume"], ["--json"], ["--from", "yesterday"],
            ["--platform", "--tenant", "acme"],
            ["--tenant", "acme", "--from", "2026-11-01", "--to", "2026-11-01"],
        ])
    func wrong(arguments: [String]) async throws {
        #expect(try await Run(arguments: ["usage", "export"] + arguments).status == 2)
    }

    @Test("SHA-256 has the format of FIPS 180 and `sha256sum`")
    func sha256() {
        #expect(Self.digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Self.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Self.digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test("~ means the home folder for the incomplete and the complete file")
    func home() async throws {
        let (server, folder) = (try Self.server(), try TemporaryFolder())
        defer { server.stop() }
        let environment = Run.environment(for: server).merging(["HOME": folder.path("home")]) { $1 }
        try folder.file("home/november.csv.part", String(Self.rows.prefix(11)))
        try folder.file("home/november.csv.part.json", #"{"call":"v1/usage/export?format=csv&tenant=acme","to":"\#(Self.to)"}"#)
        let arguments = ["usage", "export", "--tenant", "acme", "--output", "~/november.csv", "--resume"]
        let run = try await Run(arguments: arguments, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.hasPrefix("Continuing after 11 bytes.\n"))
        #expect(try folder.text("home/november.csv") == Self.rows)
        #expect(!folder.exists("home/november.csv.part") && !folder.exists("home/november.csv.part.json"))
        let calls = server.calls.count
        let again = try await Run(arguments: arguments, environment: environment, folder: folder.url)
        #expect(again.status == 2 && again.messages.contains("november.csv already exists."))
        #expect(server.calls.count == calls, "it was downloaded for nothing")
    }

    @Test("a file that cannot be made ends it before the download, with the system's reason")
    func noFolder() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let run = try await Run(
            "usage", "export", "--tenant", "acme", "--output", "/nonexistent/x", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.hasPrefix("error: /nonexistent/x cannot be written: No such file or directory.\n"), "\(run.messages)")
        #expect(server.calls.isEmpty)
    }
}
