import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl tenants onboard")
struct OnboardTenantTests {
    private let folder: TemporaryFolder
    private let flags = OnboardingPlatform.flags
    private let ownFlags = OnboardingPlatform.ownFlags
    private let slugQuestion = "Slug (lower case; part of its addresses, never changes): "
    private let callback = "https://shop.example.com/callback"
    /// The start of the test login's address, before its random values.
    private let testLogin =
        "https://id.example.com/t/acme/oauth2/authorize?response_type=code&client_id=app_1"
        + "&redirect_uri=https:%2F%2Fshop.example.com%2Fcallback&scope=openid%20profile%20email&state="

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
    }

    @Test("a person completes all steps, corrects a wrong team and gets a test login")
    func person() async throws {
        let platform = try OnboardingPlatform(hasUsers: true)
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
        try await run.answers("Team ID (Apple's portal, Membership) [COMEXAMPLE]: ", OnboardingPlatform.team)
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
            platform.changes == [
                "POST /v1/tenants", "POST /v1/tenants/acme/applications", "POST /v1/tenants/acme/applications", "PATCH /v1/tenants/acme",
                "POST /v1/tenants/acme/connections",
                "DELETE /v1/tenants/acme/connections/connection_1", "POST /v1/tenants/acme/connections",
                "POST /v1/tenants/acme/connections/connection_1/activate", "POST /v1/tenants/acme/connections/connection_1/activate",
            ])
        #expect(platform.server.received.last { $0.path.hasSuffix("activate") }?.body == #"{"existing_users":"relink"}"#)
    }

    @Test("with all options, the command does not prompt and prints one document")
    func program() async throws {
        let platform = try OnboardingPlatform()
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
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let environment = Run.environment(for: platform.server)
        #expect(try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url).status == 0)
        let before = platform.changes.count
        let run = try await Run(arguments: flags + ownFlags, environment: environment, folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(platform.changes.dropFirst(before) == ["POST /v1/tenants/acme/connections/connection_1/check"])
        #expect(run.messages.contains("✓ Shop already exists: app_1."))
    }

    @Test("the shared connection needs no step at Apple")
    func shared() async throws {
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ["--connection", "shared"], environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(platform.changes == ["POST /v1/tenants", "POST /v1/tenants/acme/applications"])
        #expect(run.output.contains("Connection  shared"))
    }

    @Test("if Apple rejects the credentials, the command stops with the failed steps")
    func refused() async throws {
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let run = try await Run(
            arguments: flags + ownFlags.map { $0 == OnboardingPlatform.team ? "COMEXAMPLE" : $0 },
            environment: Run.environment(for: platform.server), folder: folder.url)
        #expect(run.status == 1)
        #expect(run.messages.contains("✗ team_id"))
        #expect(run.output.isEmpty)
        #expect(!platform.changes.contains { $0.hasSuffix("activate") })
    }

    @Test("a terminal prompts again after a rejected redirect URI, even for one from a flag")
    func refusedAtTerminal() async throws {
        let platform = try OnboardingPlatform()
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

    @Test("Ctrl-C prints the command to continue")
    func interrupted() async throws {
        let platform = try OnboardingPlatform()
        defer { platform.server.stop() }
        let run = try TerminalRun(
            "tenants", "onboard", "acme", "--name", "Acme", "--plan", "free", environment: Run.environment(for: platform.server),
            folder: folder.url)
        try await run.sees("Name: ")
        run.interrupt()
        try await run.sees("Completed steps are saved. To continue: espalierctl tenants onboard acme")
        #expect(try await run.end().status == 130)
    }
}
