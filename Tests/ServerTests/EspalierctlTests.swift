import Foundation
import Server
import TestSupport
import Testing

/// The administrator's command with a real server. It is a separate package, which `script/test` builds first.
@Suite("espalierctl", .enabled(if: FileManager.default.isExecutableFile(atPath: Program.espalierctl.path(percentEncoded: false))))
struct EspalierctlTests {
    /// A server, and a person with an API key at a terminal's prompt.
    private struct Administrator {
        let address: String
        let key: String

        func run(_ arguments: [String]) async throws -> Program.Exit {
            try await Program.run(
                arguments, of: Program.espalierctl, environment: ["ESPALIER_BASE_URL": address, "ESPALIER_API_KEY": key])
        }

        /// Returns data from the command's output. The command must succeed.
        @discardableResult
        func json(_ arguments: String...) async throws -> [String: Any] {
            let exit = try await run(arguments + ["--json"])
            guard exit.code == 0 else { throw TestSimulator.Refused(description: "\(arguments): \(exit.errors)") }
            return try #require(try JSONSerialization.jsonObject(with: Data(exit.output.utf8)) as? [String: Any])
        }

        /// The same for a person, who sees a table.
        func table(_ arguments: String...) async throws -> String {
            let exit = try await run(arguments)
            guard exit.code == 0 else { throw TestSimulator.Refused(description: "\(arguments): \(exit.errors)") }
            return exit.output
        }
    }

    private static let today = String(Date().formatted(.iso8601).prefix(10))
    private static let tomorrow = String(Date().addingTimeInterval(86_400).formatted(.iso8601).prefix(10))

    /// Returns a key from Apple, in a file with Apple's name for it.
    private func downloadKey(of team: String, from simulator: TestSimulator, to folder: TemporaryFolder) async throws -> (
        id: String, file: String
    ) {
        let answer =
            try JSONSerialization.jsonObject(with: try await simulator.send(.POST, "/simulator/keys", ["team": team])) as? [String: Any]
        let id = try #require(answer?["id"] as? String)
        let file = folder.url.appending(path: "AuthKey_\(id).p8")
        try #require(answer?["private_key"] as? String).write(to: file, atomically: true, encoding: .utf8)
        return (id, file.path(percentEncoded: false))
    }

    @Test("it shows a tenant and counts its logins, and another tenant's key gets neither")
    func tenantAndUsage() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        _ = try await place.browser.tokens(.init(platform.acme))

        let admin = Administrator(address: place.address, key: platform.acme.api_keys[0].secret)
        let counted = try await admin.json("usage", "show", "--tenant", "acme")
        #expect(counted["logins"] as? Int == 1)
        #expect(counted["tenant_id"] as? String == platform.acme.id)
        #expect(try await admin.json("tenants", "show", "acme")["id"] as? String == platform.acme.id)

        let stranger = Administrator(address: place.address, key: platform.globex.api_keys[0].secret)
        #expect(try await stranger.run(["tenants", "show", "acme"]).code == 1)
        let unknown = Administrator(address: place.address, key: String(admin.key.dropLast(6)) + "000000")
        #expect(try await unknown.run(["tenants", "show", "acme"]).code == 4)
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }

    @Test("it onboards a tenant with own credentials, and rotates its key")
    func ownCredentials() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let admin = Administrator(address: place.address, key: platform.seeded.api_keys[0].secret)
        let folder = try TemporaryFolder()
        let key = try await downloadKey(of: platform.own.team, from: platform.simulator, to: folder)
        let onboard = [
            "tenants", "onboard", "initech", "--name", "Initech", "--plan", "enterprise", "--application-name", "Shop",
            "--application-kind", "web", "--redirect-uri", TestPlatform.redirectURI, "--connection", "own", "--team-id", platform.own.team,
            "--key-file", key.file, "--no-input", "--json", "--secret-file",
            folder.url.appending(path: "secret").path(percentEncoded: false),
        ]

        // A Services ID of another team: the command reports it, and continues after the correction.
        let refused = try await admin.run(onboard + ["--services-id", "com.example.nobody"])
        #expect(refused.code == 1)
        #expect(refused.errors.contains("✗ token_endpoint"), "\(refused.errors)")
        #expect(!refused.errors.contains("PRIVATE KEY"))
        let whole = try await admin.run(onboard + ["--services-id", platform.own.servicesID])
        #expect(whole.code == 0, "\(whole.errors)")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(whole.output.utf8)) as? [String: Any])
        let connection = try #require((result["connection"] as? [String: Any])?["id"] as? String)
        #expect((result["connection"] as? [String: Any])?["serving"] as? Bool == true)
        #expect((result["tenant"] as? [String: Any])?["connection_id"] as? String == connection)
        #expect((result["test_login_url"] as? String)?.hasPrefix("\(TestPlatform.publicURL)/t/initech/oauth2/authorize?") == true)
        #expect(try await admin.run(onboard + ["--services-id", platform.own.servicesID]).code == 0, "a second run makes nothing twice")

        // One of Apple's two keys must be removed first.
        try await platform.simulator.send(.DELETE, "/simulator/keys/\(platform.own.keyID)", [:])
        let next = try await downloadKey(of: platform.own.team, from: platform.simulator, to: folder)
        let rotated = try await admin.run([
            "apple-keys", "rotate", "--tenant", "initech", "--connection", connection, "--key-file", next.file,
        ])
        #expect(rotated.code == 0, "\(rotated.errors)")
        #expect(rotated.output.contains("current") && rotated.output.contains("previous"))
        #expect(rotated.errors.contains("\(next.id) is now the current key."))
        let retired = try await admin.json(
            "apple-keys", "retire", key.id, "--tenant", "initech", "--connection", connection, "--confirm=initech")
        #expect(retired["state"] as? String == "retired")
        #expect(try await admin.table("connections", "check", connection, "--tenant", "initech").contains("✓ token_endpoint"))
        #expect(try await admin.table("connections", "show", connection, "--tenant", "initech").contains("/t/initech/auth/apple/callback"))
        #expect(try await admin.table("connections", "show", "--platform").contains("shared"))
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }

    @Test("it guides a person at a terminal, who corrects a wrong Services ID")
    func person() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let folder = try TemporaryFolder()
        let key = try await downloadKey(of: platform.own.team, from: platform.simulator, to: folder)
        let answers = [
            "initech", "Initech", "enterprise", "Shop", "spa", TestPlatform.redirectURI, "own",
            platform.own.team, "com.example.nobody", key.file,
            "correct", "", platform.own.servicesID, "",
            "", "",
        ]
        // script(1) gives the command a terminal, and types the input.
        let command = "\(Program.espalierctl.path(percentEncoded: false)) tenants onboard"
        let run = try await Program.run(
            ["--quiet", "--return", "--command", command, "/dev/null"], of: URL(filePath: "/usr/bin/script"),
            environment: ["ESPALIER_BASE_URL": place.address, "ESPALIER_API_KEY": platform.seeded.api_keys[0].secret, "NO_COLOR": "1"],
            input: answers.map { $0 + "\n" }.joined())

        #expect(run.code == 0, "\(run.output)")
        for text in [
            "✗ token_endpoint", "✓ token_endpoint", "\(TestPlatform.publicURL)/t/initech/auth/apple/callback",
            "✓ The tenant's own connection now serves initech.", "\(TestPlatform.publicURL)/t/initech/oauth2/authorize?",
        ] {
            #expect(run.output.contains(text), "\(text) isn't in\n\(run.output)")
        }
        #expect(!run.output.contains("PRIVATE KEY"))
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }

    @Test("each command reads the server's responses, as a table and as JSON")
    func answers() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        _ = try await place.browser.tokens(.init(platform.acme))
        let admin = Administrator(address: place.address, key: platform.seeded.api_keys[0].secret)
        let acme = ["--tenant", "acme"]

        func first(_ arguments: String...) async throws -> String {
            let exit = try await admin.run(arguments + acme + ["--json", "--limit", "1"])
            let list = try JSONSerialization.jsonObject(with: Data(exit.output.utf8)) as? [String: Any]
            return try #require((list?["data"] as? [[String: Any]])?.first?["id"] as? String, "\(arguments): \(exit.errors)")
        }
        func works(_ arguments: String...) async throws {
            let exit = try await admin.run(arguments)
            #expect(exit.code == 0, "\(arguments): \(exit.errors)")
            #expect(!exit.output.isEmpty || arguments.contains { $0.hasPrefix("--confirm") }, "\(arguments): \(exit.errors)")
        }

        try await works("tenants", "list")
        try await works("tenants", "update", "globex", "--plan", "scale")
        try await works("tenants", "suspend", "globex")
        try await works("tenants", "resume", "globex")
        try await works("tenants", "delete", "globex", "--confirm=globex")
        try await works("tenants", "restore", "globex")
        try await works("audit", "list", "--tenant", "globex", "--all")

        let application = try await first("applications", "list")
        try await works("applications", "list", "--tenant", "acme")
        try await works("applications", "show", application, "--tenant", "acme")
        try await works("applications", "update", application, "--tenant", "acme", "--name", "Renamed")
        let registered = try await admin.json(
            "applications", "register", "--tenant", "acme", "--name", "New", "--kind", "web", "--redirect-uri", TestPlatform.redirectURI)
        let new = try #require(registered["id"] as? String)
        try await works("applications", "secrets", "roll", new, "--tenant", "acme", "--overlap", "1h")
        try await works("applications", "secrets", "list", new, "--tenant", "acme")
        try await works("applications", "delete", new, "--tenant", "acme", "--confirm=acme")

        try await works("connections", "list", "--tenant", "acme")
        try await works("connections", "show", "--tenant", "acme")
        try await works("connections", "check", "--tenant", "acme")
        try await works("connections", "check", "--platform")
        try await works("connections", "update", "--tenant", "acme", "--email-source", "mail.example.com")
        let team = String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement()! })
        try await platform.simulator.send(.PUT, "/simulator/teams/\(team)", [:])
        try await works("connections", "transfer", "collect", "--tenant", "acme", "--to-team-id", team)
        try await works("connections", "transfer", "list", "--tenant", "acme")
        try await works("connections", "transfer", "report", "--tenant", "acme")
        try await works("connections", "transfer", "close", "--tenant", "acme", "--confirm=acme")
        try await works("apple-keys", "list", "--tenant", "acme")
        try await works("apple-keys", "list", "--platform")
        try await works("connections", "use-shared", "--tenant", "acme", "--existing-users", "relink", "--relink-days", "5")
        try await works("connections", "activate", "--tenant", "acme")

        let user = try await first("users", "list")
        try await works("users", "list", "--tenant", "acme")
        try await works("users", "show", user, "--tenant", "acme")
        let session = try await first("sessions", "list")
        try await works("sessions", "list", "--tenant", "acme", "--user", user, "--status", "active")
        try await works("sessions", "show", session, "--tenant", "acme")
        try await works("sessions", "revoke", session, "--tenant", "acme")
        try await works("sessions", "revoke", "--user", user, "--tenant", "acme")
        try await works("sessions", "revoke-all", "--tenant", "acme", "--confirm=acme")
        try await works("signing-keys", "list", "--tenant", "acme")
        try await works("users", "delete", user, "--tenant", "acme", "--confirm=acme")

        for window in ["minute", "hour", "day", "month"] {
            let from = window == "month" ? [] : ["--from", Self.today, "--to", Self.tomorrow]
            let counted = try await admin.run(
                ["usage", "show", "--window", window, "--group-by", "application", "--group-by", "connection", "--group-by", "kind"] + from
                    + acme)
            #expect(counted.code == 0, "\(window): \(counted.errors)")
            #expect(counted.output.contains("app_") && counted.output.contains("own") && counted.output.contains("login"))
        }
        try await works(
            "usage", "show", "--window", "day", "--application", application, "--connection", "own", "--kind", "login", "--tenant", "acme")
        try await works("usage", "list", "--all")
        // The part of a file in which an application had another name.
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "usage.csv").path(percentEncoded: false)
        try "occurred_at,before".write(toFile: "\(file).part", atomically: true, encoding: .utf8)
        try #"{"call":"v1/usage/export?format=csv&tenant=acme","to":"\#(Self.today)T00:00:00Z","entityTag":"\"old\""}"#
            .write(toFile: "\(file).part.json", atomically: true, encoding: .utf8)
        let exported = try await admin.run(["usage", "export", "--output", file, "--resume"] + acme)
        #expect(exported.code == 0 && exported.errors.contains("Starting again."), "\(exported.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("occurred_at,billing_period,"))

        try await works("api-keys", "issue", "--tenant", "acme", "--name", "Usage", "--scope", "usage:read", "--expires-at", "2099-01-01")
        let key = try await first("api-keys", "list")
        try await works("api-keys", "list", "--platform")
        try await works("api-keys", "show", key, "--tenant", "acme")
        try await works("api-keys", "roll", key, "--tenant", "acme")
        try await works("api-keys", "revoke", key, "--tenant", "acme", "--confirm=acme")

        try await works("webhooks", "create", "https://hooks.example.com/", "--tenant", "acme", "--event", "user.created")
        let webhook = try await first("webhooks", "list")
        try await works("webhooks", "show", webhook, "--tenant", "acme")
        try await works("webhooks", "update", webhook, "--tenant", "acme", "--event", "user.deleted")
        try await works("webhooks", "roll-secret", webhook, "--tenant", "acme")
        try await works("webhooks", "test", webhook, "--tenant", "acme")
        let delivery = try await first("webhooks", "deliveries", "list", webhook)
        try await works("webhooks", "deliveries", "list", webhook, "--tenant", "acme")
        try await works("webhooks", "deliveries", "show", webhook, delivery, "--tenant", "acme")
        try await works("webhooks", "delete", webhook, "--tenant", "acme", "--confirm=acme")
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }

    @Test("an invalid call of a tenant's administrator is rejected with the next step")
    func refusals() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        let admin = Administrator(address: place.address, key: platform.globex.api_keys[0].secret)
        let folder = try TemporaryFolder()
        let key = try await downloadKey(of: platform.own.team, from: platform.simulator, to: folder)

        let lapsed = try await admin.run([
            "connections", "create", "--tenant", "globex", "--team-id", platform.own.team, "--services-id", platform.own.servicesID,
            "--key-file", key.file,
        ])
        #expect(lapsed.code == 1)
        #expect(lapsed.errors.contains("enterprise") && lapsed.errors.contains("request id: "), "\(lapsed.errors)")
        let forbidden = try await admin.run(["tenants", "list"])
        #expect(forbidden.code == 1)
        #expect(forbidden.errors.contains("operator's API key"), "\(forbidden.errors)")
        let stranger = try await admin.run(["users", "list", "--tenant", "acme"])
        #expect(stranger.code == 1)
        #expect(stranger.errors.contains("Tenant not found"), "\(stranger.errors)")
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }
}
