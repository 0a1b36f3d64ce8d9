import Foundation
import Testing

@testable import espalierctl

@Suite("usage sink")
struct UsageSinkTests {
    @Test("the secret comes from a file, without the line end, and is not printed", arguments: ["create", "update"])
    func secret(command: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("stripe.key", "rk_test_hush\n")
        let server = try StubServer { request in
            .init(headers: ["Content-Type": "application/json", "ETag": "\"v7\""], body: Examples.usageSink)
        }
        defer { server.stop() }
        let create = ["--format", "cloudevents", "--url", "https://meter.example.com/"]
        let arguments = ["usage", "sink", command, "--secret-from", folder.path("stripe.key")] + (command == "create" ? create : [])
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server), folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(try #require(server.received.last).body.contains(#""secret":"rk_test_hush""#))
        let dry = try await Run(
            arguments: arguments + ["--dry-run", "--json"], environment: Run.environment(for: server), folder: folder.url)
        #expect(dry.status == 0, "\(dry.messages)")
        #expect(dry.output.contains("(not shown)"))
        for text in [run.output, run.messages, dry.output, dry.messages] { #expect(!text.contains("hush")) }
    }

    @Test("an update without options is an invalid command line")
    func nothing() async throws {
        let run = try await Run("usage", "sink", "update")
        #expect(run.status == 2)
    }

    @Test("without a sink, the next step is the command that creates one")
    func missing() async throws {
        let server = try StubServer(answering: .problem(404, #"{"detail":"There is no such usage sink.","code":"not_found"}"#))
        defer { server.stop() }
        let run = try await Run("usage", "sink", "show", environment: Run.environment(for: server))
        #expect(run.messages.hasSuffix("next: Create it: espalierctl usage sink create\n"), "\(run.messages)")
    }

    @Test("a tenant without a customer is shown as none")
    func none() async throws {
        let customer = Examples.usageSinkCustomer.replacing(#""cus_1""#, with: "null")
        let server = try StubServer(answering: .init(body: Examples.list(customer)))
        defer { server.stop() }
        let list = try await Run("usage", "sink", "customers", "list", environment: Run.environment(for: server))
        #expect(list.output.contains("none"), "\(list.output)")
    }
}
