import Foundation
import Testing

@testable import espalierctl

@Suite("pages")
struct PageTests {
    private let pages: @Sendable (StubServer.Request) -> StubServer.Answer = { request in
        request.target.contains("after=second")
            ? .init(body: Examples.list(#"{"id":"webhook_2","url":"https://b.example","events":[],"status":"enabled","created_at":""}"#))
            : .init(body: Examples.list(Examples.webhook, after: "second"))
    }

    @Test("a page ends with the options for the next page")
    func hint() async throws {
        let server = try StubServer(pages)
        defer { server.stop() }
        let run = try await Run("webhooks", "list", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.messages == "More results exist. Pass --after second or --all.\n")
        #expect(server.calls == ["GET /v1/tenants/acme/webhooks"])
    }

    @Test("--all reads all pages, and prints one JSON document")
    func all() async throws {
        let server = try StubServer(pages)
        defer { server.stop() }
        let run = try await Run("webhooks", "list", "--tenant", "acme", "--all", "--json", environment: Run.environment(for: server))
        let json = try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))
        #expect(json["object"] == "list")
        #expect(json["data"]?.elements?.compactMap { $0["id"]?.string } == ["webhook_1", "webhook_2"])
        #expect(run.messages.isEmpty)
        #expect(server.calls == ["GET /v1/tenants/acme/webhooks?limit=100", "GET /v1/tenants/acme/webhooks?limit=100&after=second"])
    }

    @Test("JSON has the server's order of members, even as a complete list and without its secret")
    func order() async throws {
        let folder = try TemporaryFolder()
        let page =
            #"{"object": "list", "data": [{"id":"z","object":"webhook","events":["b","a"]}, {"id":"\u0061\"]}","b":1,"a":2}], "#
            + #""list_metadata": {"before": null, "after": null}}"#
        let list = try StubServer(answering: .init(body: page))
        defer { list.stop() }
        let environment = Run.environment(for: list)
        #expect(try await Run("webhooks", "list", "--tenant", "acme", "--json", environment: environment).output == page + "\n")
        #expect(
            try await Run("webhooks", "list", "--tenant", "acme", "--all", "--json", environment: environment).output
                == #"{"object":"list","data":[{"id":"z","object":"webhook","events":["b","a"]},{"id":"\u0061\"]}","b":1,"a":2}],"#
                + #""list_metadata":{"before":null,"after":null}}"# + "\n")
        let made = try StubServer(
            answering: .init(status: 201, body: #"{"id":"z","\u0063lient_secret":"hush-hush","name":"b,}","a":{"client_secret":null}}"#))
        defer { made.stop() }
        let run = try await Run(
            "applications", "register", "--tenant", "acme", "--name", "Shop", "--kind", "web", "--redirect-uri",
            "https://shop.example.com/",
            "--secret-file", folder.path("shop"), "--json", environment: Run.environment(for: made))
        #expect(run.output == #"{"id":"z","name":"b,}","a":{"client_secret":null}}"# + "\n")
    }

    @Test("an empty list prints a message and no data")
    func empty() async throws {
        let server = try StubServer(answering: .init(body: Examples.list()))
        defer { server.stop() }
        let run = try await Run("webhooks", "list", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
        #expect(run.messages == "No results.\n")
        let counted = try await Run(
            "webhooks", "list", "--tenant", "acme", "--jq", ".data|length", environment: Run.environment(for: server))
        #expect(counted.output == "0\n" && counted.messages.isEmpty)
    }

    @Test(
        "invalid page options are an invalid command line",
        arguments: [["--limit", "0"], ["--limit", "101"], ["--after", "a", "--before", "b"]])
    func wrong(arguments: [String]) async throws {
        #expect(try await Run(arguments: ["webhooks", "list", "--tenant", "acme"] + arguments).status == 2)
    }
}
