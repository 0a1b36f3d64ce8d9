import Foundation
import Synchronization
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

@Suite("waiting")
struct ProgressTests {
    @Test("a person sees a spinner that disappears at the end, and a program sees nothing")
    func sign() async throws {
        // The server responds only after the test has seen the spinner, so the test does not depend on the speed of the machine.
        let answer = DispatchSemaphore(value: 0)
        let server = try StubServer { _ in
            _ = answer.wait(timeout: .now() + 120)
            return .init(body: Examples.tenant)
        }
        defer { server.stop() }
        let run = try TerminalRun("tenants", "show", "acme", "--timeout", "120", environment: Run.environment(for: server))
        try await run.sees("Waiting for 127.0.0.1")
        answer.signal()
        try await run.sees("\r\u{1B}[K")
        #expect(try await run.end().status == 0)

        async let program = Run("tenants", "show", "acme", "--timeout", "120", environment: Run.environment(for: server))
        while server.received.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .seconds(1.3))
        answer.signal()
        #expect(try await program.messages.isEmpty)
    }
}

@Suite("retries")
struct RetryTests {
    /// A server with these answers in order. The last answer repeats.
    private func server(_ answers: StubServer.Answer...) throws -> StubServer {
        let left = Mutex(answers)
        return try StubServer { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    private func busy(_ status: Int, after: String) -> StubServer.Answer {
        .init(status: status, headers: ["Content-Type": "application/problem+json", "Retry-After": after], body: #"{"detail":"Busy."}"#)
    }

    @Test("a request to a busy server is retried with the same Idempotency-Key", arguments: [429, 503])
    func again(status: Int) async throws {
        let server = try server(busy(status, after: "0"), busy(status, after: "0"), .init(body: Examples.tenant))
        defer { server.stop() }
        let run = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.messages.hasPrefix("The server asks to wait 0 s. Retry 1 of 3 follows.\n"))
        #expect(server.received.count == 3)
        #expect(Set(server.received.map { $0.header("Idempotency-Key") }).count == 1)
    }

    @Test("the number of retries is limited")
    func enough() async throws {
        let server = try server(busy(503, after: "0"))
        defer { server.stop() }
        let run = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(server.received.count == 4)
    }

    @Test("a long or invalid wait is not followed by a retry", arguments: ["3600", "soon"])
    func long(wait: String) async throws {
        let server = try server(busy(429, after: wait))
        defer { server.stop() }
        #expect(try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server)).status == 1)
        #expect(server.received.count == 1)
    }

    @Test("each call has its own Idempotency-Key")
    func keys() async throws {
        let server = try server(.init(body: Examples.tenant))
        defer { server.stop() }
        for _ in 0..<2 { _ = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server)) }
        #expect(Set(server.received.map { $0.header("Idempotency-Key") }).count == 2)
    }
}

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
        "a command for the account of a person needs --confirm=platform",
        arguments: ["people end-sessions person_1", "people reset-factors person_1", "people delete person_1"])
    func ofPeople(command: String) async throws {
        defer { server.stop() }
        let run = try await Run(arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
        #expect(run.status == 2 && run.messages.contains("--confirm=platform"), "\(run.messages)")
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
            ("plan_required", 403, "--plan enterprise"), ("operator_required", 403, "operator's API key"),
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
            ("support start --tenant acme --reason Ticket-4711", 409, "conflict", "support end ID --tenant acme"),
        ])
    func nextStepInTenant(command: String, status: Int, code: String, hint: String) async throws {
        let server = try StubServer(answering: .problem(status, #"{"detail":"No.","code":"\#(code)"}"#))
        defer { server.stop() }
        let run = try await Run(
            arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
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
