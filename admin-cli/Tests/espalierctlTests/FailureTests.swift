import Foundation
import Testing

@testable import espalierctl

@Suite("failures")
struct FailureTests {
    @Test("a rejected key exits with 4 and prints the detail, the request ID and the next step")
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
            run.messages == """
                error: The API key has expired.
                request id: req_7
                next: Pass a valid key with ESPALIER_API_KEY or --api-key-file. The current key may have expired or been revoked.

                """)
        #expect(!run.messages.contains(Run.exampleKey))
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
        #expect(run.messages.hasPrefix("error: The proxy needs a password.\n"))
        #expect(server.received.count == 1)
    }

    @Test("any other rejection exits with 1", arguments: [403, 404, 422, 429, 500, 503])
    func refused(status: Int) async throws {
        let server = try StubServer(answering: .problem(status, #"{"detail":"No.","request_id":"req_8"}"#))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", "--json", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.messages.hasPrefix("error: No.\nrequest id: req_8\nnext: "))
    }

    @Test("a response of another program is recognized")
    func page() async throws {
        let server = try StubServer(answering: .init(status: 502, headers: ["Content-Type": "text/html"], body: "<h1>Bad gateway</h1>"))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("status 502"))
    }

    @Test(
        "a 404 of another program suggests a wrong base URL instead of a missing tenant",
        arguments: ["", "<h1>Not found</h1>", #"{"error":{}}"#])
    func elsewhere(body: String) async throws {
        let server = try StubServer(answering: .init(status: 404, headers: [:], body: body))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("next: Check the base URL"), "\(run.messages)")
    }

    @Test("a response of another form is a failure, and not an empty table")
    func shape() async throws {
        let server = try StubServer(answering: .init(body: "{}"))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
    }

    @Test("a redirect is not followed, and the key is not sent to its target")
    func redirect() async throws {
        let elsewhere = try StubServer(answering: .init(body: "{}"))
        defer { elsewhere.stop() }
        let server = try StubServer(answering: .init(status: 302, headers: ["Location": "\(elsewhere.baseURL)/"], body: ""))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("redirect"))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("an unreachable server exits with 1, and the error names the address")
    func unreachable() async throws {
        let server = try StubServer(answering: .init(body: ""))
        server.stop()
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains(server.baseURL))
    }

    @Test(
        "a key is never sent over a network without encryption",
        arguments: ["http://id.example.com", "ftp://localhost", "id.example.com", ""])
    func clearText(baseURL: String) async throws {
        let run = try await Run(
            "tenants", "show", "acme", "--base-url", baseURL, environment: ["ESPALIER_API_KEY": Run.exampleKey])
        #expect(run.status == 2)
    }

    @Test("without an address, the error names the setting")
    func noAddress() async throws {
        let run = try await Run("tenants", "show", "acme", environment: ["ESPALIER_API_KEY": Run.exampleKey])
        #expect(run.status == 2)
        #expect(run.messages.contains("ESPALIER_BASE_URL"))
    }

    @Test("an invalid flag or command exits with 2", arguments: [["tenants", "show"], ["tenants", "show", "acme", "--frob"], ["frob"]])
    func wrongCall(arguments: [String]) async throws {
        let run = try await Run(arguments: arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.messages.hasPrefix("error: "))
        #expect(run.messages.contains("\nnext: "))
    }

    @Test("an invalid command line has the format of every failure, with the usage and the help command")
    func format() async throws {
        let run = try await Run("tenants", "show")
        #expect(run.messages.hasPrefix("error: Missing expected argument '<slug>'.\n  usage: espalierctl tenants show <slug> "))
        #expect(run.messages.hasSuffix("\nnext: `espalierctl tenants show --help` describes every argument.\n"))
        #expect(!run.messages.contains("Error:"))
    }

    @Test(
        "the error names the unknown command, and suggests the most likely one",
        arguments: [
            (["tenant", "list"], "`espalierctl` has no command `tenant`", "Did you mean `espalierctl tenants list`?"),
            (["tenants", "lst"], "`espalierctl tenants` has no command `lst`", "Did you mean `espalierctl tenants list`?"),
            (["tenants", "lsit", "--json"], "no command `lsit`", "Did you mean `espalierctl tenants list`?"),
            (["api-keys", "create"], "no command `create`", "Did you mean `espalierctl api-keys issue`?"),
            (["tenants", "get", "acme"], "no command `get`", "Did you mean `espalierctl tenants show acme`?"),
            (["tenant", "list", "--help"], "`espalierctl` has no command `tenant`", "Did you mean `espalierctl tenants list`?"),
            (["help", "tenantz"], "`espalierctl` has no command `tenantz`", "Did you mean `espalierctl tenants`?"),
            (["transfers", "--help"], "no command `transfers`", "Did you mean `espalierctl connections transfer`?"),
            (["tenants", "sus", "acme"], "no command `sus`", "Did you mean `espalierctl tenants suspend acme`?"),
            (["usage", "verify"], "no command `verify`", "`espalier usage verify` is a command of the server program."),
            (["migrate", "-h"], "no command `migrate`", "`espalier migrate` is a command of the server program."),
            (["dev"], "no command `dev`", "`espalier-dev dev` is a command of the development program."),
        ])
    func suggestion(arguments: [String], problem: String, suggestion: String) async throws {
        let run = try await Run(arguments: arguments)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem))
        #expect(run.messages.contains(suggestion), "\(run.messages)")
    }

    @Test("an unknown command without a similar one gets no suggestion")
    func noSuggestion() async throws {
        let run = try await Run("tenants", "frobnicate")
        #expect(!run.messages.contains("Did you mean"))
        #expect(run.messages.contains("next: `espalierctl tenants --help` lists its commands."))
    }

    @Test(
        "the error for a rejected value states the allowed form",
        arguments: [
            ("rate-cards create --tier 100=0.02", "'--tier <last:price>'. Write a tier as 100000:0.005, and the last one as 0.004."),
            ("usage show --from november", "'--from <time>'. Write a time as 2026-11-01 or 2026-11-01T00:00:00Z."),
            ("usage show --to 1.12.2026", "'--to <time>'. Write a time as"), ("usage export --from x", "Write a time as"),
            ("audit list --from x", "Write a time as"), ("api-keys issue --expires-at 1y", "'--expires-at <time>'. Write a time as"),
            ("pricing estimate --on 2026-11-31", "'--on <day>'. Write a day of the calendar as 2026-11-01."),
            ("rate-cards create --effective-from 2027-1-1", "Write a day of the calendar as"),
            ("tenants update acme --idle-limit 7days", "Write a duration as 90s, 15m, 12h, 7d or seconds, or none."),
            ("applications update app_1 --session-lifetime 1y", "Write a duration as 90s, 15m, 12h, 7d or seconds."),
            ("api-keys roll apikey_1 --overlap soon", "Write a duration as"),
            ("budget set --amount 1,50", "Write an amount as 49 or 0.005"),
            ("webhooks list --limit many", "Write a whole number."), ("statements upcoming --period november", "Write a month as 2026-11."),
            ("statements show november", "Write a month as 2026-11, or pass a statement's ID."),
            ("statements show 2026-13", "Write a month as 2026-11"), ("statements print 2026-00", "Write a month as 2026-11"),
            ("statements show upcoming", "use `espalierctl statements upcoming`"),
            ("applications update app_1 --pkce --no-pkce", "--no-pkce"),
            ("tenants create Ac+me --name A", "A slug or an ID has letters"),
        ])
    func form(command: String, problem: String) async throws {
        let run = try await Run(arguments: command.split(separator: " ").map(String.init))
        #expect(run.status == 2)
        #expect(run.messages.hasPrefix("error: ") && run.messages.contains(problem), "\(run.messages)")
    }

    @Test("the error for an unknown option suggests a similar one, and no other")
    func unknownOption() async throws {
        let similar = try await Run("webhooks", "list", "--tenat", "acme")
        #expect(similar.status == 2 && similar.messages.hasPrefix("error: Unknown option '--tenat'.\n"), "\(similar.messages)")
        #expect(similar.messages.contains("next: Did you mean `--tenant`? `espalierctl webhooks list --help`"))
        let other = try await Run("webhooks", "list", "--frobnicate")
        #expect(other.messages.hasPrefix("error: Unknown option '--frobnicate'") && !other.messages.contains("Did you mean"))
    }

    @Test("the error for an invalid choice lists all choices and suggests the nearest")
    func choices() async throws {
        let library = try await Run("applications", "register", "--name", "S", "--redirect-uri", "https://a.example/cb", "--for", "spring")
        #expect(library.messages.contains("Pass one of: mod_auth_openidc, allauth, social-auth, "), "\(library.messages)")
        #expect(library.messages.contains("next: Did you mean `spring-security`? "))
        let plan = try await Run("tenants", "list", "--plan", "entreprise")
        #expect(plan.messages.contains("Pass one of: free, scale, enterprise.") && plan.messages.contains("Did you mean `enterprise`?"))
        let algorithm = try await Run("applications", "update", "app_1", "--signing-algorithm", "es256")
        #expect(algorithm.messages.contains("Did you mean `ES256`?"), "\(algorithm.messages)")
        #expect(try await !Run("tenants", "list", "--plan", "gold").messages.contains("Did you mean"))
    }

    @Test(
        "the error for a name in the place of an ID states the form of the ID and the list command",
        arguments: [
            (["applications", "show", "Shop", "--tenant", "acme"], "(app_…). `espalierctl applications list --tenant acme`"),
            (
                ["applications", "update", "L allauth", "--name", "x", "--tenant", "acme"],
                "(app_…). `espalierctl applications list --tenant acme`"
            ),
            (["applications", "secrets", "roll", "Shop", "--tenant", "acme"], "(app_…). `espalierctl applications list --tenant acme`"),
            (["users", "show", "Ada", "--tenant", "acme"], "(user_…). `espalierctl users list --tenant acme`"),
            (["users", "show", "Ada L", "--tenant", "acme"], "(user_…). `espalierctl users list --tenant acme`"),
            (["api-keys", "roll", "Administrators", "--tenant", "acme"], "(apikey_…). `espalierctl api-keys list --tenant acme`"),
            (
                ["webhooks", "deliveries", "show", "webhook_1", "x", "--tenant", "acme"],
                "(delivery_…). `espalierctl webhooks deliveries list --tenant acme`"
            ),
            (["users", "deletions", "show", "Ada", "--tenant", "acme"], "(deletion_…). `espalierctl users deletions list --tenant acme`"),
            (["rate-cards", "show", "scale", "--platform"], "(ratecard_…). `espalierctl rate-cards list --platform`"),
            (["users", "show", "Ada", "--tenant=users"], "(user_…). `espalierctl users list --tenant users`"),
            (["users", "show", "A B", "--tenant=users"], "(user_…). `espalierctl users list --tenant users`"),
        ])
    func name(arguments: [String], advice: String) async throws {
        let server = try StubServer(
            answering: .problem(404, #"{"detail":"There is no such thing, or it is not yours.","code":"not_found"}"#))
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let run = try await Run(arguments: arguments, environment: environment)
        #expect(run.messages.contains("next: Pass the ID \(advice)"), "\(run.messages)")
    }

    @Test(
        "an unknown ID and an action are not treated as a name",
        arguments: [
            "sessions revoke session_1 --tenant acme", "users show user_1 --tenant acme",
            "sessions revoke-all --confirm=acme --tenant acme",
            "applications list --tenant users",
        ])
    func unknownID(command: String) async throws {
        let server = try StubServer(answering: .problem(404, #"{"detail":"There is no such thing.","code":"not_found"}"#))
        defer { server.stop() }
        let run = try await Run(
            arguments: command.split(separator: " ").map(String.init), environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(!run.messages.contains("Pass the ID"), "\(run.messages)")
    }

    @Test("help and version go to the standard output")
    func help() async throws {
        let help = try await Run("usage", "show", "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("EXAMPLES"))
        let version = try await Run("--version")
        #expect(version.status == 0)
        #expect(version.output == "espalierctl \(Espalierctl.version)\n")
    }
}
