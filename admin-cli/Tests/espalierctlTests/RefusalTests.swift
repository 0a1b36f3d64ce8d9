import Testing

@testable import espalierctl

@Suite("rejections")
struct RefusalTests {
    private func messages(_ status: Int, _ body: String) async throws -> String {
        let server = try StubServer(answering: .problem(status, body))
        defer { server.stop() }
        return try await Run("tenants", "create", "acme", "--name", "Acme", environment: Run.environment(for: server)).messages
    }

    @Test("each rejected field is on its own line")
    func fields() async throws {
        let messages = try await messages(
            400,
            #"""
            {"title":"The request is not valid","detail":"slug: It is too long. name: It is empty.","code":"invalid","request_id":"req_1",\#
            "errors":[{"field":"slug","detail":"It is too long."},{"field":"name","detail":"It is empty."}]}
            """#)
        #expect(
            messages == """
                error: The request is not valid.
                  slug: It is too long.
                  --name: It is empty.
                request id: req_1
                next: Correct the command. --help describes every argument.

                """)
    }

    @Test(
        "the next step fits the code",
        arguments: [
            ("plan_required", 403, "--plan enterprise\n"), ("operator_required", 403, "operator's API key"),
            ("recent_sign_in_required", 403, "espalierctl login"), ("support_required", 403, "espalierctl support start --tenant SLUG"),
            ("insufficient_scope", 403, "scope"),
            ("already_exists", 409, "list"), ("precondition_failed", 412, "Read the resource again"),
            ("apple_refused", 422, "connections check"),
        ])
    func nextStep(code: String, status: Int, hint: String) async throws {
        let messages = try await messages(status, #"{"detail":"No.","code":"\#(code)"}"#)
        #expect(messages.contains(hint), "\(messages)")
    }

    @Test(
        "the next step for a call in a tenant is a command with this tenant",
        arguments: [
            ("users list --tenant acme", 403, "support_required", "espalierctl support start --tenant acme --reason"),
            ("invitations create ada@example.com --tenant acme --role viewer", 409, "conflict", "invitations delete ID --tenant acme"),
            ("sso show --tenant acme", 404, "not_found", "sso set --tenant acme"),
            ("support start --tenant acme --reason Ticket-4711", 409, "conflict", "with this API key, without a support access."),
        ])
    func nextStepInTenant(command: String, status: Int, code: String, hint: String) async throws {
        let server = try StubServer(answering: .problem(status, #"{"detail":"No.","code":"\#(code)"}"#))
        defer { server.stop() }
        let run = try await Run(
            arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
        #expect(run.messages.contains(hint), "\(run.messages)")
    }

    @Test(
        "the next step of an operator who is logged in fits what a support access permits",
        arguments: [
            ("applications delete app_1", 403, "support_required", "No.", "espalierctl support start --tenant acme --reason"),
            (
                "applications delete app_1", 403, "insufficient_scope", "A support access never has the scope `applications:write`.",
                "next: Ask an owner of the tenant to do it, or use an operator's API key.\n"
            ),
            (
                "invitations create ada@example.com --role viewer", 403, "insufficient_scope",
                "The tenant has an owner, so an operator cannot change its members or roles, not even during a support access.",
                "next: Ask an owner of the tenant to do it, or use an operator's API key.\n"
            ),
            ("support start --reason Ticket-4711", 409, "conflict", "No.", "espalierctl support end ID --tenant acme"),
        ])
    func operatorAtTenant(command: String, status: Int, code: String, detail: String, hint: String) async throws {
        let platform = try LoginPlatform(others: { _ in .problem(status, #"{"detail":"\#(detail)","code":"\#(code)"}"#) })
        defer { platform.server.stop() }
        try platform.logIn()
        let arguments = command.split(separator: " ").map(String.init)
        let confirmed = arguments.contains("delete") ? ["--confirm=acme"] : []
        let run = try await Run(arguments: arguments + ["--tenant", "acme"] + confirmed, environment: platform.environment())
        #expect(run.messages.contains(hint), "\(run.messages)")
    }

    @Test("the next step of an early call contains the time to wait")
    func tooEarly() async throws {
        var answer = StubServer.Answer.problem(409, #"{"detail":"It is too early.","code":"conflict"}"#)
        answer.headers["Retry-After"] = "580"
        let server = try StubServer(answering: answer)
        defer { server.stop() }
        let run = try await Run("signing-keys", "rotate", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("next: Run it again in 580 s."), "\(run.messages)")
    }

    @Test("a rejected field is named by its option")
    func option() async throws {
        let server = try StubServer { request in
            request.method == "GET"
                ? .init(headers: ["ETag": "\"v\""], body: Examples.tenant)
                : .problem(
                    400,
                    #"{"title":"No","detail":"idle_seconds: Low.","code":"invalid","errors":[{"field":"idle_seconds","detail":"Low."}]}"#)
        }
        defer { server.stop() }
        let run = try await Run("tenants", "update", "acme", "--idle-limit", "40", environment: Run.environment(for: server))
        #expect(run.messages.contains("\n  --idle-limit (idle_seconds): Low.\n"), "\(run.messages)")
    }

    @Test(
        "a rejected element is named by its option and value, and a misspelled scope gets the nearest",
        arguments: [
            "roles create --tenant acme --name R --scope users:read --scope users:raed",
            "roles update role_1 --tenant acme --scope users:read --scope users:raed",
            "api-keys issue --tenant acme --name R --scope users:read --scope users:raed",
        ])
    func scope(command: String) async throws {
        let server = try StubServer(
            answering: .problem(
                400,
                #"""
                {"title":"No","detail":"scopes[1]: Unknown. name: Long. expires_at: Early. id: No.","code":"invalid","errors":[\#
                {"field":"scopes[1]","detail":"Unknown."},{"field":"name","detail":"Long."},{"field":"id","detail":"No."}]}
                """#))
        defer { server.stop() }
        let run = try await Run(
            arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
        #expect(run.messages.contains("\n  --scope users:raed: Unknown.\n  --name: Long.\n  id: No.\n"), "\(run.messages)")
        #expect(run.messages.contains("next: Did you mean `users:read`? `espalierctl api-keys issue --help` lists"), "\(run.messages)")
    }

    @Test(
        "a field without an option keeps its name",
        arguments: ["scope[\u{600}]", "scopes\u{301}", "json", "person", "name.x", "scopes[99999]", "", "[0]", "n\u{200D}ame"])
    func field(name: String) {
        let options = OptionNames(["other": "--else"], help: "--name <name> --scope <scope> --jq <filter> --json")
        let body = JSON.object(["scopes": .array(["a"])])
        #expect(options.name(of: name, in: body) == (name == "json" ? "--json" : nil))
        #expect(options.name(of: "scopes[0]", in: body) == "--scope a" && options.name(of: "scopes[7]", in: body) == "--scope")
        #expect(options.name(of: "other[2]", in: body) == "--else (other[2])")
    }

    @Test(
        "the next step of a person does not name an API key",
        arguments: [
            (404, "not_found", "check that you are a member of this tenant"), (403, "operator_required", "Log in as an operator."),
            (403, "insufficient_scope", "Your role needs the scope."), (401, "unauthenticated", "Your login has ended."),
        ])
    func person(status: Int, code: String, step: String) async throws {
        let platform = try LoginPlatform(others: { _ in
            .problem(status, #"{"detail":"Tenant not found. Check the slug and your API key.","code":"\#(code)"}"#)
        })
        defer { platform.server.stop() }
        try platform.logIn()
        let run = try await Run("tenants", "show", "acme", environment: platform.environment())
        #expect(run.messages.contains("next: ") && run.messages.contains(step), "\(run.messages)")
        #expect(!run.messages.contains("API key"), "\(run.messages)")
    }

    @Test(
        "a command without a list, or with only one cause, has its own next step",
        arguments: [
            (
                "usage sink create --format cloudevents --url https://om.example.com/ --secret-from token", "already_exists",
                "next: `espalierctl usage sink show` shows it."
            ),
            (
                "rate-cards create --plan scale --effective-from 2026-01-01 --currency USD --tier 1", "conflict",
                "next: Pass a later day as --effective-from."
            ),
        ])
    func ownStep(command: String, code: String, step: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("token", "hush\n")
        let server = try StubServer(answering: .problem(409, #"{"detail":"No.","code":"\#(code)"}"#))
        defer { server.stop() }
        let run = try await Run(
            arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains(step), "\(run.messages)")
    }

    @Test("the error for an unknown option of an update lists the existing options")
    func unknownSetting() async throws {
        let run = try await Run("tenants", "update", "acme", "--session-seconds", "600")
        #expect(run.status == 2)
        #expect(run.messages.contains("--session-limit"), "\(run.messages)")
    }

    @Test("for a tenant with users, the next step names the choices")
    func choice() async throws {
        let server = try StubServer(answering: .problem(409, #"{"detail":"The tenant has users.","code":"conflict"}"#))
        defer { server.stop() }
        let run = try await Run("connections", "activate", "connection_1", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("--existing-users relink"))
    }
}
