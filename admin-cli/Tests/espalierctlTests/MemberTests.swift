import Testing

@testable import espalierctl

@Suite("members and roles")
struct MemberTests {
    private func server(keys: Int) throws -> StubServer {
        try StubServer { request in
            request.method == "GET"
                ? .init(body: Examples.list(String(Examples.member.dropLast()) + ",\"api_keys\":\(keys)}")) : .init(status: 204, body: "")
        }
    }

    @Test("a terminal asks for the API keys of a member", arguments: [("yes", "?revoke_api_keys=true"), ("no", "")])
    func keys(answer: String, query: String) async throws {
        let server = try server(keys: 3)
        defer { server.stop() }
        let run = try TerminalRun("members", "remove", "member_1", "--tenant", "acme", environment: Run.environment(for: server))
        try await run.sees("This member issued 3 API keys.")
        try await run.answers("Revoke (yes or no) [no]: ", answer)
        try await run.answers("Type acme to confirm: ", "acme")
        #expect(try await run.end().status == 0)
        #expect(server.calls.last == "DELETE /v1/tenants/acme/members/member_1\(query)")
    }

    @Test("a member without API keys, a flag and a pipe need no answer")
    func silent() async throws {
        let server = try server(keys: 0)
        defer { server.stop() }
        let arguments = ["members", "remove", "member_1", "--tenant", "acme", "--confirm=acme"]
        let run = try TerminalRun(arguments: arguments, environment: Run.environment(for: server))
        #expect(try await run.end().status == 0)
        let help = try await Run("members", "remove", "--help").output
        #expect(help.contains("Revokes the API keys that the member issued.") && help.contains("Keeps the API keys that the member issued"))
        let both = try await Run("members", "remove", "member_1", "--revoke-api-keys", "--no-revoke-api-keys")
        #expect(both.status == 2 && both.messages.contains("--no-revoke-api-keys"), "\(both.messages)")
        let flag = try TerminalRun(arguments: arguments + ["--no-revoke-api-keys"], environment: Run.environment(for: server))
        #expect(try await flag.end().status == 0)
        _ = try await Run(arguments: arguments, environment: Run.environment(for: server))
        let list = "GET /v1/tenants/acme/members?limit=100"
        let deletion = "DELETE /v1/tenants/acme/members/member_1"
        #expect(server.calls == [list, deletion, deletion, deletion])
    }

    @Test("an unknown role is refused, with the nearest one", arguments: ["develper", "role_", "role_\u{600}1", "role_1\u{301}", "OWNER"])
    func role(name: String) async throws {
        let run = try await Run("members", "update", "member_1", "--tenant", "acme", "--role", name)
        #expect(
            run.status == 2 && run.messages.contains("Pass one of: owner, admin, developer, billing, viewer, role_…."), "\(run.messages)")
        if name == "develper" { #expect(run.messages.contains("Did you mean `developer`?")) }
    }

    @Test("a name in the place of an ID gets the list that shows the ID")
    func names() async throws {
        let server = try StubServer(answering: .problem(404, #"{"detail":"No.","code":"not_found"}"#))
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let member = try await Run("members", "update", "Ada", "--role", "owner", "--tenant", "acme", environment: environment)
        #expect(member.messages.contains("Pass the ID (member_…). `espalierctl members list --tenant acme` shows it."))
        let person = try await Run("operators", "remove", "Ada", "--confirm=platform", environment: environment)
        #expect(person.messages.contains("Pass the ID (member_…). `espalierctl operators list` shows it."), "\(person.messages)")
        let unknown = try await Run("people", "show", "person_7", environment: environment)
        #expect(unknown.messages.contains("next: Check the ID.\n"), "\(unknown.messages)")
        let account = try await Run("people", "show", "ada@example.com", environment: environment)
        #expect(account.messages.contains("Pass the ID (person_…). `espalierctl people list` shows it."), "\(account.messages)")
    }

    @Test(
        "people see the name of a tenant's own role, and JSON has its ID",
        arguments: [
            "members list --tenant acme", "members update member_1 --role role_1 --tenant acme", "invitations list --tenant acme",
            "invitations create grace@example.com --role role_1 --tenant acme",
        ])
    func roleNames(command: String) async throws {
        let isMember = command.hasPrefix("members")
        let element = isMember ? Examples.member : Examples.invitation
        let own = element.replacing(isMember ? "developer" : "viewer", with: "role_1")
        for isPermitted in [true, false] {
            let server = try StubServer { request in
                if request.path.hasSuffix("/roles") {
                    return isPermitted
                        ? .init(body: Examples.list(Examples.role)) : .problem(403, #"{"detail":"No.","code":"insufficient_scope"}"#)
                }
                return .init(body: request.method == "GET" ? Examples.list(own, element, own) : own)
            }
            defer { server.stop() }
            let arguments = command.split(separator: " ").map(String.init)
            let run = try await Run(arguments: arguments, environment: Run.environment(for: server))
            #expect(run.status == 0 && !run.messages.contains("error"), "\(run.messages)")
            #expect(run.output.contains("Support") == isPermitted && run.output.contains("role_1") != isPermitted, "\(run.output)")
            #expect(server.received.count == 2 && server.calls.last == "GET /v1/tenants/acme/roles?limit=100")
            let json = try await Run(arguments: arguments + ["--json"], environment: Run.environment(for: server))
            #expect(json.output.contains("role_1") && !json.output.contains("Support") && server.received.count == 3)
        }
    }

    @Test("a list without a tenant's own roles reads no roles")
    func builtInRoles() async throws {
        let server = try server(keys: 0)
        defer { server.stop() }
        let run = try await Run("members", "list", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.output.contains("developer") && server.calls == ["GET /v1/tenants/acme/members"], "\(server.calls)")
    }
}
