import Foundation
import Testing

@testable import espalierctl

@Suite("what a failure tells")
struct FailureTests {
    @Test("a refused key ends with 4 and shows detail, request id and the next step")
    func unauthenticated() async throws {
        let server = try StubServer(
            answering: .problem(
                401,
                """
                {"type":"about:blank","title":"Unauthorized","status":401,"detail":"The API key has expired.",\
                "code":"unauthenticated","request_id":"req_7"}
                """))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 4)
        #expect(run.output.isEmpty)
        #expect(
            run.talk == """
                error: The API key has expired.
                request id: req_7
                next: Pass a valid key by ESPALIER_API_KEY or --api-key-file; it may have expired or been revoked.

                """)
        #expect(!run.talk.contains(Run.exampleKey))
    }

    @Test(
        "a 401 that asks for a password ends the call",
        arguments: [["tenants", "show", "acme"], ["usage", "export", "--tenant", "acme"]])
    func password(arguments: [String]) async throws {
        let server = try StubServer(
            answering: .init(
                status: 401, headers: ["Content-Type": "application/problem+json", "WWW-Authenticate": "Basic realm=\"x\""],
                body: #"{"detail":"The proxy needs a password."}"#))
        defer { server.stop() }
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(run.status == 4)
        #expect(run.talk.hasPrefix("error: The proxy needs a password.\n"))
        #expect(server.received.count == 1)
    }

    @Test("any other refusal ends with 1", arguments: [403, 404, 422, 429, 500, 503])
    func refused(status: Int) async throws {
        let server = try StubServer(answering: .problem(status, #"{"detail":"No.","request_id":"req_8"}"#))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", "--json", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.talk.hasPrefix("error: No.\nrequest id: req_8\nnext: "))
    }

    @Test("an answer from something that isn't Espalier is told apart")
    func page() async throws {
        let server = try StubServer(answering: .init(status: 502, headers: ["Content-Type": "text/html"], body: "<h1>Bad gateway</h1>"))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.talk.contains("status 502"))
    }

    @Test("another program's 404 is no missing tenant: the base URL is wrong", arguments: ["", "<h1>Not found</h1>", #"{"error":{}}"#])
    func elsewhere(body: String) async throws {
        let server = try StubServer(answering: .init(status: 404, headers: [:], body: body))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.talk.contains("next: Check the base URL"), "\(run.talk)")
    }

    @Test("an answer of another shape is a failure, not an empty table")
    func shape() async throws {
        let server = try StubServer(answering: .init(body: "{}"))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
    }

    @Test("a redirect isn't followed, and the key goes nowhere else")
    func redirect() async throws {
        let elsewhere = try StubServer(answering: .init(body: "{}"))
        defer { elsewhere.stop() }
        let server = try StubServer(answering: .init(status: 302, headers: ["Location": "\(elsewhere.baseURL)/"], body: ""))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.talk.contains("redirect"))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("a server that isn't there ends with 1 and names the address")
    func unreachable() async throws {
        let server = try StubServer(answering: .init(body: ""))
        server.stop()
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.talk.contains(server.baseURL))
    }

    @Test("a key is never sent over a network in the clear", arguments: ["http://id.example.com", "ftp://localhost", "id.example.com", ""])
    func clearText(baseURL: String) async throws {
        let run = try await Run(
            "tenants", "show", "acme", "--base-url", baseURL, environment: ["ESPALIER_API_KEY": Run.exampleKey])
        #expect(run.status == 2)
    }

    @Test("without an address the command says how to give one")
    func noAddress() async throws {
        let run = try await Run("tenants", "show", "acme", environment: ["ESPALIER_API_KEY": Run.exampleKey])
        #expect(run.status == 2)
        #expect(run.talk.contains("ESPALIER_BASE_URL"))
    }

    @Test("a wrong flag or command ends with 2", arguments: [["tenants", "show"], ["tenants", "show", "acme", "--frob"], ["frob"]])
    func wrongCall(arguments: [String]) async throws {
        let run = try await Run(arguments: arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.talk.hasPrefix("error: "))
        #expect(run.talk.contains("\nnext: "))
    }

    @Test("a wrong call has the format of every other failure, with the usage and the command that describes it")
    func format() async throws {
        let run = try await Run("tenants", "show")
        #expect(run.talk.hasPrefix("error: Missing expected argument '<slug>'\n  usage: espalierctl tenants show <slug> "))
        #expect(run.talk.hasSuffix("\nnext: `espalierctl tenants show --help` describes every argument.\n"))
        #expect(!run.talk.contains("Error:"))
    }

    @Test(
        "an unknown command is named, and the probable one is suggested",
        arguments: [
            (["tenant", "list"], "`espalierctl` has no command `tenant`", "Did you mean `espalierctl tenants list`?"),
            (["tenants", "lst"], "`espalierctl tenants` has no command `lst`", "Did you mean `espalierctl tenants list`?"),
            (["tenants", "lsit", "--json"], "no command `lsit`", "Did you mean `espalierctl tenants list`?"),
            (["api-keys", "create"], "no command `create`", "Did you mean `espalierctl api-keys issue`?"),
            (["tenants", "get", "acme"], "no command `get`", "Did you mean `espalierctl tenants show acme`?"),
        ])
    func suggestion(arguments: [String], problem: String, suggestion: String) async throws {
        let run = try await Run(arguments: arguments)
        #expect(run.status == 2)
        #expect(run.talk.contains(problem))
        #expect(run.talk.contains(suggestion), "\(run.talk)")
    }

    @Test("an unknown command that resembles nothing gets no suggestion")
    func noSuggestion() async throws {
        let run = try await Run("tenants", "frobnicate")
        #expect(!run.talk.contains("Did you mean"))
        #expect(run.talk.contains("next: `espalierctl tenants --help` lists its commands."))
    }

    @Test("help and version are data")
    func help() async throws {
        let help = try await Run("usage", "show", "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("EXAMPLES"))
        let version = try await Run("--version")
        #expect(version.status == 0)
        #expect(version.output == "espalierctl \(Espalierctl.version)\n")
    }
}
