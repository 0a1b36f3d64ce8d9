import Foundation
import Testing

@testable import espalierctl

@Suite("usage sink")
struct UsageSinkTests {
    @Test("the secret comes from a file, without the line's end, and is not shown", arguments: ["create", "update"])
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
        #expect(run.status == 0, "\(run.talk)")
        #expect(try #require(server.received.last).body.contains(#""secret":"rk_test_hush""#))
        let dry = try await Run(
            arguments: arguments + ["--dry-run", "--json"], environment: Run.environment(for: server), folder: folder.url)
        #expect(dry.status == 0, "\(dry.talk)")
        #expect(dry.output.contains("(not shown)"))
        for said in [run.output, run.talk, dry.output, dry.talk] { #expect(!said.contains("hush")) }
    }

    @Test("an update that changes nothing is a wrong call")
    func nothing() async throws {
        let run = try await Run("usage", "sink", "update")
        #expect(run.status == 2)
    }

    @Test("without a sink, the next step sets one up")
    func missing() async throws {
        let server = try StubServer(answering: .problem(404, #"{"detail":"There is no such usage sink.","code":"not_found"}"#))
        defer { server.stop() }
        let run = try await Run("usage", "sink", "show", environment: Run.environment(for: server))
        #expect(run.talk.hasSuffix("next: Set one up: espalierctl usage sink create\n"), "\(run.talk)")
    }

    @Test("a customer of none is shown as none")
    func none() async throws {
        let customer = Examples.usageSinkCustomer.replacing(#""cus_1""#, with: "null")
        let server = try StubServer(answering: .init(body: Examples.list(customer)))
        defer { server.stop() }
        let list = try await Run("usage", "sink", "customers", "list", environment: Run.environment(for: server))
        #expect(list.output.contains("none"), "\(list.output)")
    }
}
