import Foundation
import Synchronization
import Testing

@testable import espalierctl

/// As much of a platform as onboarding needs: it remembers what was made.
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
            else { return .problem(409, #"{"detail":"The tenant has users: say what becomes of them.","code":"conflict"}"#) }
            state.connection?.isServing = true
            return .init(body: connection() ?? "")
        default:
            return .problem(500, #"{"detail":"\#(request.call) wasn't expected."}"#)
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
    /// The test login's address up to the values that are random.
    private let testLogin =
        "https://id.example.com/t/acme/oauth2/authorize?response_type=code&client_id=app_1"
        + "&redirect_uri=https:%2F%2Fshop.example.com%2Fcallback&scope=openid%20profile%20email&state="

    @Test("a person is led through all of it, corrects a wrong team, and gets a link to try")
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
        try await run.sees("a server that can keep a secret")
        try await run.answers("Which [1]: ", "1")
        for uri in ["ftp:/no", "com.example.shop:/callback"] {
            try await run.answers("Redirect URI (the exact address to which its logins return): ", uri)
            try await run.sees("A redirect URI is an https address")
        }
        try await run.answers("Redirect URI (the exact address to which its logins return): ", "https://refused.example.com/")
        try await run.sees("redirect_uris[0]: No.")
        try await run.answers("Redirect URI (the exact address to which its logins return): ", "https://shop.example.com/callback")
        try await run.sees("✓ Registered Shop: app_1.")
        try await run.sees("Client secret: hush-hush")
        try await run.sees("Whose credentials?")
        try await run.answers("Which [1]: ", "own")
        try await run.answers("Change the plan to enterprise? (yes or no) [yes]: ", "")
        try await run.sees("✓ The plan of acme is enterprise now.")
        try await run.answers("Team ID (Apple's portal, Membership): ", "abc")
        try await run.sees("A Team ID has 10 capital letters and digits.")
        try await run.answers("Team ID (Apple's portal, Membership): ", "COMEXAMPLE")
        try await run.answers("Services ID (Apple's portal, Identifiers): ", "com example")
        try await run.sees("A Services ID has parts with letters, digits and hyphens")
        try await run.answers("Services ID (Apple's portal, Identifiers): ", "com.example.login")
        // The file is missed before its Key ID is asked for.
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8): ", "nowhere.p8")
        try await run.sees("can't be read")
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8): ", "~/key.p8")
        try await run.answers("Key ID (Apple's portal, Keys): ", "F6G7H8I9J0")
        try await run.sees("✗ team_id      This looks like a Services ID. Swap the two.")
        try await run.answers("Which [1]: ", "correct")
        try await run.answers("Team ID (Apple's portal, Membership) [COMEXAMPLE]: ", Platform.team)
        try await run.answers("Services ID (Apple's portal, Identifiers) [com.example.login]: ", "")
        try await run.answers("Key file (AuthKey_XXXXXXXXXX.p8) [~/key.p8]: ", "")
        try await run.answers("Key ID (Apple's portal, Keys) [F6G7H8I9J0]: ", "")
        try await run.sees("✓ private_key  A P-256 key.")
        try await run.sees("Type this into Apple's portal, to the letter")
        try await run.sees("Return URL        https://id.example.com/t/acme/auth/apple/callback")
        try await run.answers("Press Enter when that is done.", "")
        try await run.sees("The tenant has users")
        try await run.answers("Which [1]: ", "relink")
        try await run.sees("✓ The tenant's own connection serves acme.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "https://shop.example.com/callback?code=x")
        try await run.sees("This address has no `state`.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "")
        try await run.sees("Continue with:")
        try await run.sees("espalierctl applications test-login app_1 --tenant acme --secret-file FILE\n")
        let (status, output) = try await run.end()

        #expect(status == 0)
        #expect(output.contains("Test login  \(testLogin)"), "\(output)")
        #expect(output.contains("Client ID   app_1"))
        #expect(!output.contains("hush-hush"), "data and talk are mixed")
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

    @Test("with everything given nobody is asked, and a program gets one document")
    func program() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ownFlags + ["--json"], environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 0, "\(run.talk)")
        let json = try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))
        #expect(json["tenant.slug"] == "acme")
        #expect(json["application.id"] == "app_1")
        #expect(json["connection.serving"] == .bool(true))
        #expect(json["test_login_url"]?.string?.hasPrefix(testLogin) == true)
        #expect(json["test_code_verifier"]?.string?.utf8.count == 43)
        #expect(try folder.text("shop.secret") == "hush-hush\n")
        #expect(!(run.output + run.talk).contains("hush-hush"))
        #expect(!(run.output + run.talk).contains("c2VjcmV0"))
    }

    @Test("a second run finds what the first made, and makes nothing twice")
    func again() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = changes(platform).count
        let run = try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.talk)")
        #expect(changes(platform).dropFirst(before) == ["POST /v1/tenants/acme/connections/connection_1/check"])
        #expect(run.talk.contains("✓ Shop is there: app_1."))
    }

    @Test("on the shared connection there is nothing to do at Apple")
    func shared() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ["--connection", "shared"], environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 0, "\(run.talk)")
        #expect(changes(platform) == ["POST /v1/tenants", "POST /v1/tenants/acme/applications"])
        #expect(run.output.contains("Connection  shared"))
    }

    @Test("credentials that Apple refuses end it, with what is wrong and how to go on")
    func refused() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ownFlags.map { $0 == Platform.team ? "COMEXAMPLE" : $0 }, environment: Run.environment(for: platform.server),
            folder: folder.url)
        #expect(run.status == 1)
        #expect(run.talk.contains("✗ team_id"))
        #expect(run.output.isEmpty)
        #expect(!changes(platform).contains { $0.hasSuffix("activate") })
    }

    @Test(
        "wrong IDs and key files in flags end it before anything is made",
        arguments: [
            ("--team-id", "abc", "A Team ID has 10 capital letters"), ("--services-id", "login", "A Services ID has parts"),
            ("--key-file", "~/nope.p8", "The key file ~/nope.p8 can't be read."),
            ("--key-file", "key.p8", "doesn't say its Key ID"), ("--key-file", "AuthKey_0000000000.p8", "PEM file"),
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
        #expect(run.talk.contains(problem), "\(run.talk)")
        #expect(changes(platform).isEmpty)
        let atTerminal = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "enterprise", "--connection", "own", option,
            value == "key.p8" ? "nowhere.p8" : value, environment: Run.environment(for: platform.server), folder: folder.url)
        try await atTerminal.sees(value == "key.p8" ? "can't be read" : problem)
        #expect(try await atTerminal.end().status == 2)
        #expect(changes(platform).isEmpty)
    }

    @Test("a refused redirect URI is asked again at a terminal, also one from a flag")
    func refusedAtTerminal() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "free", "--application-name", "Shop", "--application-kind", "web",
            "--redirect-uri", "https://refused.example.com/", "--connection", "shared", environment: Run.environment(for: platform.server),
            folder: folder.url)
        try await run.sees("redirect_uris[0]: No.")
        try await run.answers("Redirect URI (the exact address to which its logins return): ", "https://shop.example.com/callback")
        try await run.sees("✓ Registered Shop: app_1.")
        try await run.answers("Address at which the browser arrives, or Enter to skip: ", "")
        #expect(try await run.end().status == 0)
    }

    @Test("a redirect URI from a flag that is refused ends it, with how to go on")
    func refusedFlag() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: (flags + ["--connection", "shared"]).map { $0 == callback ? "https://refused.example.com/" : $0 },
            environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.talk.contains("redirect_uris[0]: No."))
        #expect(run.talk.contains("next: Run the command again with what it takes: what was made is kept, and found."))
    }

    @Test("users without a choice end it, with how to choose")
    func noChoice() async throws {
        let platform = try Platform(hasUsers: true)
        defer { platform.server.stop() }
        let run = try await Run(arguments: flags + ownFlags, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.talk.contains("--existing-users"))
    }

    @Test("without a terminal all that is missing is named, and nothing is made")
    func missing() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try await Run(
            "tenants", "onboard", "acme", "--application-kind", "web", "--connection", "own",
            environment: Run.environment(for: platform.server))
        #expect(run.status == 2)
        for option in ["--name", "--application-name", "--redirect-uri", "--secret-file", "--team-id", "--services-id", "--key-file"] {
            #expect(run.talk.contains(option))
        }
        #expect(platform.server.received.isEmpty)
    }

    @Test("Ctrl-C says how to go on")
    func interrupted() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "free", environment: Run.environment(for: platform.server),
            folder: folder.url)
        try await run.sees("Name: ")
        run.interrupt()
        try await run.sees("Nothing is lost. To go on: espalierctl tenants onboard acme")
        #expect(try await run.end().status == 130)
    }

    @Test(
        "flags that are malformed or contradict each other end it before any call",
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
            (["--email-source", "not a domain"], "--email-source is not a domain. An e-mail source is a domain"),
            (["--email-source", "example.com"], "--email-source example.com is there twice."),
            (["--redirect-uri", "https://shop.example.com/2"], "--redirect-uri https://shop.example.com/2 is there twice."),
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
        #expect(run.talk.contains(problem), "\(run.talk)")
        #expect(run.talk.contains("Nothing was created."))
        #expect(platform.server.received.isEmpty)
    }

    @Test("a secret file that cannot be made, and a plan without own credentials, end it before anything is created")
    func beforeCreation() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        try folder.file("taken.secret", "another secret")
        for (change, problem) in [
            ("/nonexistent/x", "/nonexistent/x can't be written: No such file or directory."),
            ("taken.secret", "taken.secret already exists."),
        ] {
            let run = try await Run(
                arguments: (flags + ownFlags).map { $0 == "shop.secret" ? change : $0 }, environment: Run.environment(for: platform.server),
                folder: folder.url)
            #expect(run.status == 2)
            #expect(run.talk.contains(problem), "\(run.talk)")
        }
        // Without --plan, a new tenant gets the plan free.
        let planless = flags.filter { !["--plan", "enterprise"].contains($0) }
        let run = try await Run(arguments: planless + ownFlags, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 2)
        #expect(run.talk.contains("Pass --plan enterprise, or --connection shared."), "\(run.talk)")
        #expect(changes(platform).isEmpty)
        #expect(!folder.exists("shop.secret"))
    }

    @Test(
        "flags that differ from what exists are refused with the command that changes it",
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
        #expect(run.talk.contains(problem), "\(run.talk)")
        #expect(changes(platform).count == before)
    }

    @Test("a name, a secret file and a key that are not applied are reported")
    func reported() async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        try folder.file("AuthKey_0000000000.p8", Examples.pem)
        let changed = ["Acme": "ACME", "shop.secret": "new.secret", "AuthKey_F6G7H8I9J0.p8": "AuthKey_0000000000.p8"]
        let run = try await Run(
            arguments: (flags + ownFlags).map { changed[$0] ?? $0 }, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.talk)")
        for text in [
            "! The name of acme stays Acme.", "! new.secret was not written", "espalierctl applications secrets roll app_1 --tenant acme",
            "! The key 0000000000 was not added.",
        ] { #expect(run.talk.contains(text), "\(run.talk)") }
        #expect(!folder.exists("new.secret"))
    }

    @Test("the connection that serves changes only after a question", arguments: [false, true])
    func serving(agrees: Bool) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = changes(platform).count
        let shared = try await Run(arguments: flags + ["--connection", "shared"], environment: environment, folder: folder.url)
        #expect(shared.status == 2)
        #expect(shared.talk.contains("next: Change the connection first: espalierctl connections use-shared --tenant acme"))
        let other = ownFlags.map { $0 == "com.example.login" ? "com.example.other" : $0 }
        let own = try await Run(arguments: flags + other, environment: environment, folder: folder.url)
        #expect(own.status == 2)
        #expect(own.talk.contains("espalierctl connections create --tenant acme"), "\(own.talk)")
        #expect(changes(platform).count == before)
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--application-name", "Shop", "--connection", "shared", environment: environment,
            folder: folder.url)
        try await run.answers("Switch its logins to the shared connection? (yes or no) [no]: ", agrees ? "yes" : "")
        if agrees { try await run.sees("wasn't expected") }
        #expect(try await run.end().status == (agrees ? 1 : 2))
        #expect(changes(platform).contains("POST /v1/tenants/acme/shared-connection/activate") == agrees)
    }

    @Test("a plan without own credentials has one next step", arguments: ["enterprise", nil])
    func planOfOwn(plan: String?) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let free = flags.map { $0 == "enterprise" ? "free" : $0 } + ["--connection", "shared"]
        #expect(try await Run(arguments: free, environment: environment, folder: folder.url).status == 0)
        let given = plan == nil ? flags.filter { !["--plan", "enterprise"].contains($0) } : flags
        let run = try await Run(arguments: given + ownFlags, environment: environment, folder: folder.url)
        #expect(run.status == 2)
        #expect(run.talk.contains("next: Change the plan first: espalierctl tenants update acme --plan enterprise\n"), "\(run.talk)")
    }

    @Test("the plan of an existing tenant changes only after a question", arguments: [false, true])
    func plan(agrees: Bool) async throws {
        let platform = try Platform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let free = flags.map { $0 == "enterprise" ? "free" : $0 } + ["--connection", "shared"]
        #expect(try await Run(arguments: free, environment: environment, folder: folder.url).status == 0)
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--plan", "enterprise", "--application-name", "Shop", "--connection", "shared",
            environment: environment, folder: folder.url)
        let question = "Change the plan of acme, and so its prices, from free to enterprise? (yes or no) [no]: "
        try await run.answers(question, agrees ? "yes" : "")
        #expect(try await run.end().status == (agrees ? 0 : 2))
        #expect(changes(platform).contains("PATCH /v1/tenants/acme") == agrees)
    }
}
