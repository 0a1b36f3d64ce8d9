import Foundation
import Testing

@testable import espalierctl

@Suite("the API key")
struct APIKeyTests {
    private let tenant = """
        {"id":"tenant_06f0c3y8d2q9x1m4n7p5r8s0vw","slug":"acme","name":"Acme","plan":"free","status":"active","issuer":"","created_at":"",\
        "updated_at":""}
        """

    /// Runs a command with an API key from a file.
    private func run(keyFile contents: String, server: StubServer, environment: [String: String] = [:]) async throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: "espalierctl-\(UUID().uuidString)")
        try contents.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await Run(
            "tenants", "show", "acme", "--base-url", server.baseURL, "--api-key-file", file.path, environment: environment)
    }

    @Test("an API key from a file overrides the environment")
    func file() async throws {
        let server = try StubServer(answering: .init(body: tenant))
        defer { server.stop() }
        let run = try await run(keyFile: "esk_test_fromfile\n", server: server, environment: ["ESPALIER_API_KEY": "esk_test_other"])
        #expect(run.status == 0)
        #expect(server.requests.first?.contains("Authorization: Bearer esk_test_fromfile\r\n") == true)
    }

    @Test("the help of `issue` lists every scope of the spec")
    func scopes() async throws {
        let spec = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../openapi.yaml").standardizedFileURL, encoding: .utf8)
        let start = try #require(spec.range(of: "\n    APIKeyScope:\n"))
        let end = try #require(spec[start.upperBound...].range(of: "]"))
        let listed = spec[start.upperBound..<end.lowerBound].matches(of: #/"([a-z_]+:[a-z]+)"/#).map { String($0.1) }
        #expect(listed.count > 20)
        #expect(APIKeyScope.all == listed)
        let help = try await Run("api-keys", "issue", "--help").output
        for scope in listed { #expect(help.contains(scope), "\(scope)") }
    }

    @Test("an API key can come from the standard input")
    func standardInput() async throws {
        let server = try StubServer(answering: .init(body: tenant))
        defer { server.stop() }
        let run = try await Run(
            "tenants", "show", "acme", "--base-url", server.baseURL, "--api-key-file", "-", input: "esk_test_frominput\n")
        #expect(run.status == 0)
        #expect(server.requests.first?.contains("Authorization: Bearer esk_test_frominput\r\n") == true)
    }

    @Test("the content of another file is neither sent nor printed")
    func notAKey() async throws {
        let server = try StubServer(answering: .init(body: tenant))
        defer { server.stop() }
        let run = try await run(keyFile: "-----BEGIN PRIVATE KEY-----\nMIGTAgEA\n", server: server)
        #expect(run.status == 4)
        #expect(server.requests.isEmpty)
        #expect(!run.messages.contains("PRIVATE KEY"))
        #expect(!run.messages.contains("MIGTAgEA"))
    }

    @Test("a missing API key file is an invalid command line")
    func missingFile() async throws {
        let run = try await Run("tenants", "show", "acme", "--base-url", "https://id.example.com", "--api-key-file", "/nonexistent/key")
        #expect(run.status == 2)
        #expect(run.messages.contains("/nonexistent/key"))
    }

    @Test("without an API key, the command exits with 4 and names the setting")
    func noKey() async throws {
        let run = try await Run("tenants", "show", "acme", "--base-url", "https://id.example.com")
        #expect(run.status == 4)
        #expect(run.messages.contains("ESPALIER_API_KEY"))
        #expect(run.output.isEmpty)
    }
}
