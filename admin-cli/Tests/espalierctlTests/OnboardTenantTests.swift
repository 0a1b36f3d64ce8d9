import Foundation
import Synchronization
import Testing

@testable import espalierctl

/// A platform that stores the resources that an onboarding creates.
private final class Platform: Sendable {
    private struct State {
        var tenant: String?
        var application: String?
        var connection: (team: String, isServing: Bool)?
        /// Whether the tenant has users, so that activation needs a choice.
        var hasUsers = false
    }

    let server: StubServer

    /// Apple accepts this team and no other.
    static let team = "A1B2C3D4E5"

    init(hasUsers: Bool = false) throws {
        let state = Mutex(State(hasUsers: hasUsers))
        server = try StubServer { request in state.withLock { Self.answer(request, &$0) } }
    }

    private static func answer(_ request: StubServer.Request, _ state: inout State) -> StubServer.Answer {
        let body = try? JSONDecoder().decode(JSON.self, from: Data(request.body.utf8))
        let tagged = ["Content-Type": "application/json", "ETag": "\"v\""]
        func connection() -> String? {
            state.connection.map { made in
                let isAccepted = made.team == team
                return Examples.connection(
                    outcome: isAccepted ? "passed" : "failed", isServing: made.isServing,
                    steps: isAccepted ? Examples.passedSteps : Examples.steps
                ).replacingOccurrences(of: team, with: made.team)
            }
        }
        let missing = StubServer.Answer.problem(404, #"{"detail":"There is no such thing.","code":"not_found"}"#)
        switch "\(request.method) \(request.path.dropFirst("/v1/tenants".count))" {
        case "GET /acme":
            let serving = state.connection?.isServing == true ? #","connection_id":"connection_1"}"# : "}"
            return state.tenant.map { .init(headers: tagged, body: $0.dropLast() + serving) } ?? missing
        case "POST ":
            state.tenant = Examples.tenant.replacingOccurrences(of: "enterprise", with: body?["plan"]?.text ?? "")
            return .init(status: 201, body: state.tenant ?? "")
        case "PATCH /acme":
            state.tenant = Examples.tenant
            return .init(body: Examples.tenant)
        case "GET /acme/applications":
            return .init(body: state.application.map { Examples.list($0) } ?? Examples.list())
        case "POST /acme/applications":
            if body?["redirect_uris"]?.elements?.first == "https://refused.example.com/" {
                return .problem(
                    400, #"{"code":"invalid","detail":"redirect_uris[0]: No.","errors":[{"field":"redirect_uris[0]","detail":"No."}]}"#)
            }
            state.application = Examples.application
            return .init(status: 201, body: Examples.applicationWithSecret)
        case "GET /acme/connections":
            return .init(body: connection().map { Examples.list($0) } ?? Examples.list())
        case "POST /acme/connections":
            state.connection = (body?["team_id"]?.text ?? "", false)
            return .init(status: 201, body: connection() ?? "")
        case "GET /acme/connections/connection_1":
            return connection().map { .init(headers: tagged, body: $0) } ?? missing
        case "DELETE /acme/connections/connection_1":
            state.connection = nil
            return .init(status: 204, body: "")
        case "POST /acme/connections/connection_1/check":
            return .init(
                body: state.connection?.team == team
                    ? Examples.check("passed", Examples.passedSteps) : Examples.check("failed", Examples.steps))
        case "POST /acme/connections/connection_1/activate":
            guard !state.hasUsers || body?["existing_users"] != nil
            else { return .problem(409, #"{"detail":"The tenant has users.","code":"conflict"}"#) }
            state.connection?.isServing = true
            return .init(body: connection() ?? "")
        default:
            return .problem(500, #"{"detail":"\#(request.call) was not expected."}"#)
        }
    }
}

@Suite("espalierctl tenants onboard")
struct OnboardTenantTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
    }

    private func changes(_ platform: Platform) -> [String] {
        platform.server.received.filter { $0.method != "GET" }.map(\.call)
    }

    private let flags = [
        "tenants", "onboard", "acme", "--name", "Acme", "--plan", "enterprise", "--application-name", "Shop", "--application-kind", "web",
        "--redirect-uri", "https://shop.example.com/callback", "--secret-file", "shop.secret", "--no-input",
    ]
    private let ownFlags = [
        "--connection", "own", "--team-id", Platform.team, "--services-id", "com.example.login", "--key-file", "AuthKey_F6G7H8I9J0.p8",
    ]
    private let slugQuestion = "Slug (lower case; part of its addresses, never changes): "
    private let callback = "https://shop.example.com/callback"
    /// The start of the test login's address, before its random values.
    private let testLogin =
        "https://id.example.com/t/acme/oauth2/authorize?response_type=code&client_id=app_1"
        + "&redirect_uri=https:%2F%2Fshop.example.com%2Fcallback&scope=openid%20profile%20email&state="

    @Test("a person completes all steps, corrects a wrong team and gets a test login")
    func person() async throws {
        let platform = try Platform(hasUsers: true)
        defer { platform.server.stop() }
        try folder.file("key.p8", Examples.pem)
        let environment = Run.environment(for: platform.server).merging(["HOME": folder.url.path]) { $1 }
        let run = try TerminalRun("tenants", "onboard", environment: environment, folder: folder.url)
        for slug in ["a/b", "INTER2", "-acme"] {
            try await run.answers(slugQuestion, slug)
            try await run.sees("A slug has 1 to 63 lower-case letters, digits and hyphens.")
        }
        try await run.answers(slugQuestion, "acme")
        try await run.answers("Name [acme]: ", "Acme")
        try await run.sees("Plan:")
        try await run.answers("Which [1]: ", "free")
        try await run.sees("✓ Created acme.")
        try await run.answers("Name: ", "Shop")
        try await run.sees("a server that can store a secret")
        try await run.answers("Which [1]: ", "1")
        for uri in ["ftp:/no", "com.example.shop:/callback"] {
            try await run.answers("Redirect URI (the exact address after a login): ", uri)
            try await run.sees("A redirect URI is an https address")
        }
        try await run.answers("Redirect URI (the exact address after a login): ", "https://refused.example.com/")
        try await run.sees("redirect_uris[0]: No.")
        try await run.answers("Redirect URI (the exact address after a login): ", "https://shop.example.com/callback")
        try await run.sees("✓ Registered Shop: app_1.")
        try await run.sees("Client secret: hush-hush")
        try await run.sees("Connection:")
        try await run.answers("Which [1]: ", "own")
        try await run.answers("Change the plan to enterprise? (yes or no) [yes]: ", "")
        try await run.sees("✓ The plan of acme is now enterprise.")
        try await run.answers("Team ID (Apple's portal, Membership): ", "abc")
        try await run.sees("A Team ID has 10 capital letters and digits.")
        try await run.answers("Team ID (Apple's portal, Membership): ", "COMEXAMPLE")
        try await run.answers("Services ID (Apple's portal, Identifiers): ", "com example")
        try await run.sees("A Services ID has parts with letters, digits and hyphens")
        try await run.answers("Services ID (Apple's portal, Identifiers): ", "com.example.login")
        // The missing file is reported before the prompt for the Key ID.
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8): ", "nowhere.p8")
        try await run.sees("cannot be read")
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8): ", "~/key.p8")
        try await run.answers("Key ID (Apple's portal, Keys): ", "F6G7H8I9J0")
        try await run.sees("✗ team_id      This looks like a Services ID. Swap the two.")
        try await run.answers("Which [1]: ", "correct")
        try await run.answers("Team ID (Apple's portal, Membership) [COMEXAMPLE]: ", Platform.team)
        try await run.answers("Services ID (Apple's portal, Identifiers) [com.example.login]: ", "")
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8) [~/key.p8]: ", "")
        try await run.answers("Key ID (Apple's portal, Keys) [F6G7H8I9J0]: ", "")
        try await run.sees("✓ private_key  A P-256 key.")
        try await run.sees("Enter these exact values in Apple's portal")
        try await run.sees("Return URL        https://id.example.com/t/acme/auth/apple/callback")
        try await run.answers("Press Enter after you have saved the values.", "")
        try await run.sees("The tenant has users")
        try await run.answers("Which [1]: ", "relink")
        try await run.sees("✓ The tenant's own connection now serves acme.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "https://shop.example.com/callback?code=x")
        try await run.sees("This address has no `state`.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "")
        try await run.sees("Continue with:")
        try await run.sees("espalierctl applications test-login app_1 --tenant acme --secret-file FILE\n")
        let (status, output) = try await run.end()

        #expect(status == 0)
        #expect(output.contains("Test login  \(testLogin)"), "\(output)")
        #expect(output.contains("Client ID   app_1"))
        #expect(!output.contains("hush-hush"), "the standard output contains a message")
        #expect(!run.screen.contains("c2VjcmV0"), "the private key is shown")
        #expect(
            changes(platform) == [
                "POST /v1/tenants", "POST /v1/tenants/acme/applications", "POST /v1/tenants/acme/applications", "PATCH /v1/tenants/acme",
                "POST /v1/tenants/acme/connections",
                "DELETE /v1/tenants/acme/connections/connection_1", "POST /v1/tenants/acme/connections",
                "POST /v1/tenants/acme/connections/connection_1/activate", "POST /v1/tenants/acme/connections/connection_1/activate",
            ])
        #expect(platform.server.received.last { $0.path.hasSuffix("activate") }?.body == #"{"existing_users":"relink"}"#)
    }

    @Test("with all options, the command does not prompt and prints one document")
    func program() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ownFlags + ["--json"], environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        let json = try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))
        #expect(json["tenant.slug"] == "acme")
        #expect(json["application.id"] == "app_1")
        #expect(json["connection.serving"] == .bool(true))
        #expect(json["test_login_url"]?.string?.hasPrefix(testLogin) == true)
        #expect(json["test_code_verifier"]?.string?.utf8.count == 43)
        #expect(try folder.text("shop.secret") == "hush-hush\n")
        #expect(!(run.output + run.messages).contains("hush-hush"))
        #expect(!(run.output + run.messages).contains("c2VjcmV0"))
    }

    @Test("a second run uses the existing resources")
    func again() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = changes(platform).count
        let run = try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(changes(platform).dropFirst(before) == ["POST /v1/tenants/acme/connections/connection_1/check"])
        #expect(run.messages.contains("✓ Shop already exists: app_1."))
    }

    @Test("the shared connection needs no step at Apple")
    func shared() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ["--connection", "shared"], environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(changes(platform) == ["POST /v1/tenants", "POST /v1/tenants/acme/applications"])
        #expect(run.output.contains("Connection  shared"))
    }

    @Test("if Apple rejects the credentials, the command stops with the failed steps")
    func refused() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ownFlags.map { $0 == Platform.team ? "COMEXAMPLE" : $0 }, environment: Run.environment(for: platform.server),
            folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains("✗ team_id"))
        #expect(run.output.isEmpty)
        #expect(!changes(platform).contains { $0.hasSuffix("activate") })
    }

    @Test(
        "invalid IDs and key files in flags are rejected before the first change",
        arguments: [
            ("--team-id", "abc", "A Team ID has 10 capital letters"), ("--services-id", "login", "A Services ID has parts"),
            ("--key-file", "~/nope.p8", "The key file ~/nope.p8 cannot be read."),
            ("--key-file", "key.p8", "does not contain a Key ID"), ("--key-file", "AuthKey_0000000000.p8", "PEM file"),
        ])
    func wrongFlag(option: String, value: String, problem: String) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        try folder.file("key.p8", Examples.pem)
        try folder.file("AuthKey_0000000000.p8", "nothing")
        var arguments = flags + ownFlags
        arguments[try #require(arguments.firstIndex(of: option)) + 1] = value
        let run = try await Run(arguments: arguments, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem), "\(run.messages)")
        #expect(changes(platform).isEmpty)
        let atTerminal = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "enterprise", "--connection", "own", option,
            value == "key.p8" ? "nowhere.p8" : value, environment: Run.environment(for: platform.server), folder: folder.url)
        try await atTerminal.sees(value == "key.p8" ? "cannot be read" : problem)
        #expect(try await atTerminal.end().status == 2)
        #expect(changes(platform).isEmpty)
    }

    @Test("a terminal prompts again after a rejected redirect URI, even for one from a flag")
    func refusedAtTerminal() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "free", "--application-name", "Shop", "--application-kind", "web",
            "--redirect-uri", "https://refused.example.com/", "--connection", "shared", environment: Run.environment(for: platform.server),
            folder: folder.url)
        try await run.sees("redirect_uris[0]: No.")
        try await run.answers("Redirect URI (the exact address after a login): ", "https://shop.example.com/callback")
        try await run.sees("✓ Registered Shop: app_1.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "")
        #expect(try await run.end().status == 0)
    }

    @Test("a rejected redirect URI from a flag stops the command with the next step")
    func refusedFlag() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: (flags + ["--connection", "shared"]).map { $0 == callback ? "https://refused.example.com/" : $0 },
            environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains("redirect_uris[0]: No."))
        #expect(run.messages.contains("next: Correct the value and run the command again. It uses the resources that it already created."))
    }

    @Test("for a tenant with users, the error names the option for the choice")
    func noChoice() async throws {
        let platform = try Platform(hasUsers: true)
        defer { platform.server.stop() }
        let run = try await Run(arguments: flags + ownFlags, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains("--existing-users"))
    }

    @Test("without a terminal, the error names all missing options before the first change")
    func missing() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            "tenants", "onboard", "acme", "--application-kind", "web", "--connection", "own",
            environment: Run.environment(for: platform.server))
        #expect(run.status == 2)
        for option in ["--name", "--application-name", "--redirect-uri", "--secret-file", "--team-id", "--services-id", "--key-file"] {
            #expect(run.messages.contains(option))
        }
        #expect(platform.server.received.isEmpty)
    }

    @Test("Ctrl-C prints the command to continue")
    func interrupted() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "free", environment: Run.environment(for: platform.server),
            folder: folder.url)
        try await run.sees("Name: ")
        run.interrupt()
        try await run.sees("Completed steps are saved. To continue: espalierctl tenants onboard acme")
        #expect(try await run.end().status == 130)
    }

    @Test(
        "malformed or contradictory flags are rejected before the first call",
        arguments: [
            (["INTER2"], "SLUG is INTER2. A slug has 1 to 63 lower-case letters"),
            (["--name", ""], "--name is empty. A name has 1 to 200 characters"),
            (["--application-name", "a\u{7}"], "A name has 1 to 200 characters"),
            (["--redirect-uri", "ftp:/no"], "--redirect-uri is ftp:/no. A redirect URI is an https address"),
            (["--redirect-uri", "http://shop.example.com/"], "A redirect URI is an https address"),
            (["--redirect-uri", "com.example.shop:/callback"], "A redirect URI is an https address"),
            (["--application-kind", "machine"], "An application of the kind machine has no redirect URI."),
            (["--application-kind", "spa"], "has no secret, so nothing can be written to shop.secret"),
            (["--plan", "free"], "The plan free does not include a connection of the tenant's own."),
            (["--connection", "shared"], "does not use --team-id, --services-id, --key-file."),
            (["--services-id", "com." + String(repeating: "a", count: 252)], "and at most 255 characters."),
            (["--email-source", "not a domain"], "--email-source is not a domain. An email source is a domain"),
            (["--email-source", "example.com"], "--email-source example.com occurs twice."),
            (["--redirect-uri", "https://shop.example.com/2"], "--redirect-uri https://shop.example.com/2 occurs twice."),
        ])
    func contradiction(change: [String], problem: String) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        var arguments = flags + ownFlags
        if change[0] == "--email-source" { arguments += ["--email-source", "example.com"] + change }
        if change.last == "https://shop.example.com/2" { arguments += change }
        if change.count == 1 {
            arguments[2] = change[0]
        } else if change[0] != "--email-source" {
            arguments[try #require(arguments.firstIndex(of: change[0])) + 1] = change[1]
        }
        let run = try await Run(arguments: arguments, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem), "\(run.messages)")
        #expect(run.messages.contains("Nothing was created."))
        #expect(platform.server.received.isEmpty)
    }

    @Test("an invalid secret file or plan is rejected before the first change")
    func beforeCreation() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        try folder.file("taken.secret", "another secret")
        for (change, problem) in [
            ("/nonexistent/x", "/nonexistent/x cannot be written: No such file or directory."),
            ("taken.secret", "taken.secret already exists."),
        ] {
            let run = try await Run(
                arguments: (flags + ownFlags).map { $0 == "shop.secret" ? change : $0 }, environment: Run.environment(for: platform.server),
                folder: folder.url)
            #expect(run.status == 2)
            #expect(run.messages.contains(problem), "\(run.messages)")
        }
        // Without --plan, a new tenant gets the plan free.
        let planless = flags.filter { !["--plan", "enterprise"].contains($0) }
        let run = try await Run(arguments: planless + ownFlags, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains("Pass --plan enterprise, or --connection shared."), "\(run.messages)")
        #expect(changes(platform).isEmpty)
        #expect(!folder.exists("shop.secret"))
    }

    @Test(
        "the error for a flag that differs from an existing resource names the command for the change",
        arguments: [
            ("--plan", "free", "espalierctl tenants update acme --plan free"),
            ("--application-kind", "native", "Shop is of the kind web, not native. A kind never changes."),
            (
                "--redirect-uri", "https://other.example.com/",
                "espalierctl applications update app_1 --tenant acme --redirect-uri https://shop.example.com/callback"
                    + " --redirect-uri https://other.example.com/"
            ),
        ])
    func different(option: String, value: String, problem: String) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let shared = flags + ["--connection", "shared"]
        #expect(try await Run(arguments: shared, environment: environment, folder: folder.url).status == 0)
        let before = changes(platform).count
        var arguments = shared
        arguments[try #require(arguments.firstIndex(of: option)) + 1] = value
        if option == "--application-kind" { arguments.removeAll { ["--secret-file", "shop.secret"].contains($0) } }
        let run = try await Run(arguments: arguments, environment: environment, folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem), "\(run.messages)")
        #expect(changes(platform).count == before)
    }

    @Test("the command reports a name, a secret file and a key that it does not apply")
    func reported() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        try folder.file("AuthKey_0000000000.p8", Examples.pem)
        let changed = ["Acme": "ACME", "shop.secret": "new.secret", "AuthKey_F6G7H8I9J0.p8": "AuthKey_0000000000.p8"]
        let run = try await Run(
            arguments: (flags + ownFlags).map { changed[$0] ?? $0 }, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        for text in [
            "! The name of acme stays Acme.", "! new.secret was not written", "espalierctl applications secrets roll app_1 --tenant acme",
            "! The key 0000000000 was not added.",
        ] { #expect(run.messages.contains(text), "\(run.messages)") }
        #expect(!folder.exists("new.secret"))
    }

    @Test("the serving connection changes only after a prompt", arguments: [false, true])
    func serving(agrees: Bool) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = changes(platform).count
        let shared = try await Run(arguments: flags + ["--connection", "shared"], environment: environment, folder: folder.url)
        #expect(shared.status == 2)
        #expect(shared.messages.contains("next: Change the connection first: espalierctl connections use-shared --tenant acme"))
        let other = ownFlags.map { $0 == "com.example.login" ? "com.example.other" : $0 }
        let own = try await Run(arguments: flags + other, environment: environment, folder: folder.url)
        #expect(own.status == 2)
        #expect(own.messages.contains("espalierctl connections create --tenant acme"), "\(own.messages)")
        #expect(changes(platform).count == before)
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--application-name", "Shop", "--connection", "shared", environment: environment,
            folder: folder.url)
        try await run.answers("Switch its logins to the shared connection? (yes or no) [no]: ", agrees ? "yes" : "")
        if agrees { try await run.sees("was not expected") }
        #expect(try await run.end().status == (agrees ? 1 : 2))
        #expect(changes(platform).contains("POST /v1/tenants/acme/shared-connection/activate") == agrees)
    }

    @Test("a plan without its own credentials has one next step", arguments: ["enterprise", nil])
    func planOfOwn(plan: String?) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let free = flags.map { $0 == "enterprise" ? "free" : $0 } + ["--connection", "shared"]
        #expect(try await Run(arguments: free, environment: environment, folder: folder.url).status == 0)
        let given = plan == nil ? flags.filter { !["--plan", "enterprise"].contains($0) } : flags
        let run = try await Run(arguments: given + ownFlags, environment: environment, folder: folder.url)
        #expect(run.status == 2)
        #expect(
            run.messages.contains("next: Change the plan first: espalierctl tenants update acme --plan enterprise\n"), "\(run.messages)")
    }

    @Test("the plan of an existing tenant changes only after a prompt", arguments: [false, true])
    func plan(agrees: Bool) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let free = flags.map { $0 == "enterprise" ? "free" : $0 } + ["--connection", "shared"]
        #expect(try await Run(arguments: free, environment: environment, folder: folder.url).status == 0)
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--plan", "enterprise", "--application-name", "Shop", "--connection", "shared",
            environment: environment, folder: folder.url)
        let question = "Change the plan of acme from free to enterprise? This changes its prices. (yes or no) [no]: "
        try await run.answers(question, agrees ? "yes" : "")
        #expect(try await run.end().status == (agrees ? 0 : 2))
        #expect(changes(platform).contains("PATCH /v1/tenants/acme") == agrees)
    }
}
