import Foundation
import Testing

@testable import espalierctl

/// `espalierctl tenants onboard` for a tenant that differs from the flags.
@Suite("espalierctl tenants onboard: differences")
struct OnboardingDifferencesTests {
    private let folder: TemporaryFolder
    private let flags = OnboardingPlatform.flags
    private let ownFlags = OnboardingPlatform.ownFlags
    private let callback = "https://shop.example.com/callback"

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
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
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        let shared = flags + ["--connection", "shared"]
        #expect(try await Run(arguments: shared, environment: environment, folder: folder.url).status == 0)
        let before = platform.changes.count
        var arguments = shared
        arguments[try #require(arguments.firstIndex(of: option)) + 1] = value
        if option == "--application-kind" { arguments.removeAll { ["--secret-file", "shop.secret"].contains($0) } }
        let run = try await Run(arguments: arguments, environment: environment, folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains(problem), "\(run.messages)")
        #expect(platform.changes.count == before)
    }

    @Test("the command reports a name, a secret file and a key that it does not apply")
    func reported() async throws {
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = platform.changes.count
        let shared = try await Run(arguments: flags + ["--connection", "shared"], environment: environment, folder: folder.url)
        #expect(shared.status == 2)
        #expect(shared.messages.contains("next: Change the connection first: espalierctl connections use-shared --tenant acme"))
        let other = ownFlags.map { $0 == "com.example.login" ? "com.example.other" : $0 }
        let own = try await Run(arguments: flags + other, environment: environment, folder: folder.url)
        #expect(own.status == 2)
        #expect(own.messages.contains("espalierctl connections create --tenant acme"), "\(own.messages)")
        #expect(platform.changes.count == before)
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--application-name", "Shop", "--connection", "shared", environment: environment,
            folder: folder.url)
        try await run.answers("Switch its logins to the shared connection? (yes or no) [no]: ", agrees ? "yes" : "")
        if agrees { try await run.sees("was not expected") }
        #expect(try await run.end().status == (agrees ? 1 : 2))
        #expect(platform.changes.contains("POST /v1/tenants/acme/shared-connection/activate") == agrees)
    }

    @Test("a plan without its own credentials has one next step", arguments: ["enterprise", nil])
    func planOfOwn(plan: String?) async throws {
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform()
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
        #expect(platform.changes.contains("PATCH /v1/tenants/acme") == agrees)
    }
}
