import Testing

@testable import espalierctl

@Suite("destructive commands")
struct ConfirmTests {
    private let server: StubServer

    init() throws {
        server = try StubServer(answering: .init(body: Examples.tenant))
    }

    @Test(
        "without a terminal, a destructive command needs --confirm",
        arguments: [
            "tenants delete acme", "applications delete app_1 --tenant acme", "applications secrets revoke app_1 secret_1 --tenant acme",
            "connections delete connection_1 --tenant acme", "apple-keys retire applekey_1 --tenant acme --connection connection_1",
            "users delete user_1 --tenant acme", "sessions revoke-all --tenant acme", "api-keys revoke apikey_1 --tenant acme",
            "webhooks delete webhook_1 --tenant acme", "signing-keys rotate --tenant acme --compromised",
        ])
    func refused(command: String) async throws {
        defer { server.stop() }
        let run = try await Run(arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
        #expect(run.status == 2)
        #expect(run.messages.contains("--confirm=acme"))
        #expect(server.received.isEmpty)
    }

    @Test(
        "a command for the account of a person needs the ID of this person as --confirm",
        arguments: ["people end-sessions person_1", "people reset-factors person_1", "people delete person_1"])
    func ofPeople(command: String) async throws {
        defer { server.stop() }
        let arguments = command.split(separator: " ").map(String.init)
        for given in [[], ["--confirm=platform"], ["--confirm=person_2"], ["--confirm=PERSON_1"]] {
            let run = try await Run(arguments: arguments + given, environment: Run.environment(for: server))
            #expect(run.status == 2 && run.messages.contains("next: To confirm, pass --confirm=person_1."), "\(run.messages)")
        }
        #expect(server.received.isEmpty)
    }

    @Test("a wrong --confirm changes nothing")
    func wrongWord() async throws {
        defer { server.stop() }
        let run = try await Run("tenants", "delete", "acme", "--confirm=globex", environment: Run.environment(for: server))
        #expect(run.status == 2)
        #expect(server.received.isEmpty)
    }

    @Test("a terminal shows a prompt for the confirmation")
    func asked() async throws {
        defer { server.stop() }
        let run = try TerminalRun("tenants", "delete", "acme", environment: Run.environment(for: server))
        try await run.sees("This deletes the tenant acme")
        try await run.answers("Type acme to confirm: ", "acme")
        #expect(try await run.end().status == 0)
        #expect(server.calls == ["DELETE /v1/tenants/acme?confirm=acme"])
    }

    @Test("another answer, or --no-input, changes nothing")
    func declined() async throws {
        defer { server.stop() }
        let run = try TerminalRun("tenants", "delete", "acme", environment: Run.environment(for: server))
        try await run.answers("Type acme to confirm: ", "no")
        #expect(try await run.end().status == 2)
        let silent = try TerminalRun("tenants", "delete", "acme", "--no-input", environment: Run.environment(for: server))
        #expect(try await silent.end().status == 2)
        #expect(server.received.isEmpty)
    }

    @Test("a deletion by ID needs the slug, which the server compares")
    func byID() async throws {
        defer { server.stop() }
        let run = try await Run("tenants", "delete", "tenant_1", "--confirm=acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(server.calls == ["DELETE /v1/tenants/tenant_1?confirm=acme"])
    }
}
