import Foundation
import Testing

@testable import espalierctl

/// Invalid, contradictory and missing flags of `espalierctl tenants onboard`.
@Suite("espalierctl tenants onboard: flags")
struct OnboardingFlagsTests {
    private let folder: TemporaryFolder
    private let flags = OnboardingPlatform.flags
    private let ownFlags = OnboardingPlatform.ownFlags
    private let callback = "https://shop.example.com/callback"

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
    }

    @Test(
        "invalid IDs and key files in flags are rejected before the first change",
        arguments: [
            ("--team-id", "abc", "A Team ID has 10 capital letters"), ("--services-id", "login", "A Services ID has parts"),
            ("--key-file", "~/nope.p8", "The key file ~/nope.p8 cannot be read."),
            ("--key-file", "key.p8", "does not contain a Key ID"), ("--key-file", "AuthKey_0000000000.p8", "PEM file"),
        ])
    func wrongFlag(option: String, value: String, problem: String) async throws {
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        try folder.file("key.p8", Examples.pem)
        try folder.file("AuthKey_0000000000.p8", "nothing")
        var arguments = flags + ownFlags
        arguments[try #require(arguments.firstIndex(of: option)) + 1] = value
        let run = try await Run(arguments: arguments, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem), "\(run.messages)")
        #expect(platform.changes.isEmpty)
        let atTerminal = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "enterprise", "--connection", "own", option,
            value == "key.p8" ? "nowhere.p8" : value, environment: Run.environment(for: platform.server), folder: folder.url)
        try await atTerminal.sees(value == "key.p8" ? "cannot be read" : problem)
        #expect(try await atTerminal.end().status == 2)
        #expect(platform.changes.isEmpty)
    }

    @Test("a rejected redirect URI from a flag stops the command with the next step")
    func refusedFlag() async throws {
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform(hasUsers: true)
        defer { platform.server.stop() }
        let run = try await Run(arguments: flags + ownFlags, environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains("--existing-users"))
    }

    @Test("without a terminal, the error names all missing options before the first change")
    func missing() async throws {
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform()
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
        #expect(platform.changes.isEmpty)
        #expect(!folder.exists("shop.secret"))
    }
}
