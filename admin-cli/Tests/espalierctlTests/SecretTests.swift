import Testing

@testable import espalierctl

@Suite("secrets in responses")
struct SecretTests {
    private let arguments = [
        "applications", "register", "--tenant", "acme", "--name", "Shop", "--kind", "web", "--redirect-uri", "https://a.example/cb",
    ]

    @Test("a secret is shown once, with a warning on the standard error")
    func shown() async throws {
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(run.output.contains("hush-hush"))
        #expect(run.messages.contains("shown only once"))
        #expect(!run.messages.contains("hush-hush"))
    }

    @Test("--secret-file writes the secret to a file that only its owner can read", arguments: [false, true])
    func written(asJSON: Bool) async throws {
        let folder = try TemporaryFolder()
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        let run = try await Run(
            arguments: arguments + ["--secret-file", folder.path("shop")] + (asJSON ? ["--json"] : []),
            environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(!(run.output + run.messages).contains("hush-hush"))
        #expect(try folder.text("shop") == "hush-hush\n")
        #expect(try folder.mode("shop") == 0o600)
    }

    @Test("an existing file is not replaced, and nothing is sent")
    func existing() async throws {
        let folder = try TemporaryFolder()
        try folder.file("shop", "another secret")
        let server = try StubServer(answering: .init(status: 201, body: Examples.applicationWithSecret))
        defer { server.stop() }
        let run = try await Run(arguments: arguments + ["--secret-file", folder.path("shop")], environment: Run.environment(for: server))
        #expect(run.status == 2)
        #expect(server.received.isEmpty)
        #expect(try folder.text("shop") == "another secret")
    }

    @Test("a response without a secret prints a message and removes the empty file")
    func none() async throws {
        let folder = try TemporaryFolder()
        let server = try StubServer(answering: .init(status: 201, body: Examples.application))
        defer { server.stop() }
        let run = try await Run(
            arguments: [
                "applications", "register", "--tenant", "acme", "--name", "Shop", "--for", "spring-security", "--kind", "spa",
                "--redirect-uri", "https://a.example/cb", "--secret-file", "q4",
            ], environment: Run.environment(for: server), folder: folder.url)
        #expect(run.status == 0)
        #expect(run.messages.contains("The response contains no secret, so q4 was not written."), "\(run.messages)")
        #expect(!folder.exists("q4"))
    }

    @Test("a rejected request leaves no empty file")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let server = try StubServer(answering: .problem(403, #"{"detail":"No."}"#))
        defer { server.stop() }
        let run = try await Run(arguments: arguments + ["--secret-file", folder.path("shop")], environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(!folder.exists("shop"))
    }
}
