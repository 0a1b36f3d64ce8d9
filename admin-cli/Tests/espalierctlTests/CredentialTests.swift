import Foundation
import Testing

@testable import espalierctl

@Suite("logins on this machine")
struct CredentialTests {
    private func authorization(_ platform: LoginPlatform) -> String? {
        platform.server.received.last?.header("Authorization")
    }

    @Test("the keyring has the login if secret-tool works, and the file does not")
    func keyring() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let environment = try platform.environment(keyring: true)
        let login = try await Run("login", "--no-browser", environment: environment)
        #expect(login.status == 0 && login.messages.contains("The login is in the keyring."), "\(login.messages)")
        #expect(try platform.folder.text("secret") == LoginPlatform.token)
        #expect(!platform.folder.exists("config/espalierctl/credentials.json"))
        let calls = try platform.folder.text("calls")
        #expect(calls.contains("store --label=espalierctl (\(platform.base)) service espalierctl server \(platform.base) key:\n"))
        #expect(!calls.contains("eps_"), "the token is an argument")
        #expect(try await Run("tenants", "show", "acme", environment: environment).status == 0)
        #expect(authorization(platform) == "Bearer \(LoginPlatform.token)")
        #expect(try await Run("logout", environment: environment).status == 0)
        #expect(!platform.folder.exists("secret"))
    }

    @Test("a keyring that stores nothing is replaced by the file")
    func brokenKeyring() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let environment = try platform.environment(keyring: true)
        try platform.folder.file("bin/secret-tool", "#!/bin/sh\nexit 0\n", mode: 0o700)
        #expect(try await Run("login", "--no-browser", environment: environment).messages.contains("credentials.json"))
        #expect(try await Run("tenants", "show", "acme", environment: environment).status == 0)
        #expect(authorization(platform) == "Bearer \(LoginPlatform.token)")
    }

    @Test("a keyring that keeps the login is reported, and the login ends at the server")
    func stuckKeyring() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let environment = try platform.environment(keyring: true)
        #expect(try await Run("login", "--no-browser", environment: environment).status == 0)
        let script = try platform.folder.text("bin/secret-tool")
        try platform.folder.file("bin/secret-tool", script.replacing("/bin/rm -f secret", with: "exit 1"), mode: 0o700)
        let run = try await Run("logout", environment: environment)
        #expect(run.status == 1 && run.messages.contains("The login is still in the keyring of this machine. It is no longer valid."))
        #expect(run.messages.contains("secret-tool clear service espalierctl server \(platform.base)"), "\(run.messages)")
        #expect(platform.server.received.last?.path == "/account/oauth2/revoke")
        #expect(try platform.folder.text("secret") == LoginPlatform.token)
    }

    @Test("a keyring that writes without end is ended, and the login is asked for")
    func endlessKeyring() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let environment = try platform.environment(keyring: true)
        try platform.folder.file("bin/secret-tool", "#!/bin/sh\nexec /usr/bin/yes\n", mode: 0o700)
        let run = try await Run("tenants", "show", "acme", environment: environment)
        #expect(run.status == 4 && platform.server.received.isEmpty, "\(run.messages)")
    }

    @Test("an API key takes precedence over the login: by flag, by environment, by profile")
    func order() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        try platform.logIn()
        var environment = try platform.environment()
        let file = try platform.folder.file("key", "esk_test_file")
        _ = try await Run("tenants", "show", "acme", environment: environment)
        #expect(authorization(platform) == "Bearer \(LoginPlatform.token)")
        try platform.folder.file(
            "config/espalierctl/config.json",
            #"{"current_profile":"default","profiles":{"default":{"base_url":"\#(platform.base)","api_key":"esk_test_profile"}}}"#)
        _ = try await Run("tenants", "show", "acme", environment: environment)
        #expect(authorization(platform) == "Bearer esk_test_profile")
        environment["ESPALIER_API_KEY"] = "esk_test_environment"
        _ = try await Run("tenants", "show", "acme", environment: environment)
        #expect(authorization(platform) == "Bearer esk_test_environment")
        _ = try await Run("tenants", "show", "acme", "--api-key-file", file, environment: environment)
        #expect(authorization(platform) == "Bearer esk_test_file")
    }

    @Test("a login is sent only to the server that issued it")
    func otherServer() async throws {
        let (platform, other) = (try LoginPlatform(), try LoginPlatform())
        defer {
            platform.server.stop()
            other.server.stop()
        }
        try platform.logIn()
        let environment = try platform.environment().merging(["ESPALIER_BASE_URL": other.base]) { $1 }
        let run = try await Run("tenants", "show", "acme", environment: environment)
        #expect(run.status == 4 && other.server.received.isEmpty && run.messages.contains("next: Log in: espalierctl login"))
    }

    @Test("a file that others can read, a link, and another program's file are refused", arguments: [0o644, 0o640, 0o604, 0, 1, 2])
    func unsafe(mode: Int) async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        try platform.logIn()
        let path = platform.folder.path("config/espalierctl/credentials.json")
        switch mode {
        case 0:
            try FileManager.default.moveItem(atPath: path, toPath: platform.folder.path("elsewhere"))
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: platform.folder.path("elsewhere"))
        case 1: try platform.folder.file("config/espalierctl/credentials.json", "hush-hush")
        case 2:
            try platform.folder.file(
                "config/espalierctl/credentials.json", #"{"logins":{"\#(platform.base)":"esk_test_\u000d\u000aX: y"}}"#)
        default: try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let run = try await Run("tenants", "show", "acme", environment: platform.environment())
        #expect(run.status == (mode == 2 ? 4 : 2) && platform.server.received.isEmpty, "\(run.messages)")
        #expect(!run.messages.contains("hush-hush") && !run.messages.contains("eps_"))
    }

    @Test("a refused login suggests another login")
    func ended() async throws {
        let platform = try LoginPlatform(others: { _ in .problem(401, #"{"detail":"The session has ended."}"#) })
        defer { platform.server.stop() }
        try platform.logIn()
        let run = try await Run("tenants", "show", "acme", environment: platform.environment())
        #expect(run.status == 4 && run.messages.hasSuffix("next: Your login has ended. Log in again: espalierctl login\n"))
    }

    @Test("the tenant is a header for paths without a tenant, and only for people")
    func tenantHeader() async throws {
        let platform = try LoginPlatform(others: { _ in .init(body: #"{"object":"caller","actor":"person_1"}"#) })
        defer { platform.server.stop() }
        try platform.logIn()
        let environment = try platform.environment()
        func header() -> String? { platform.server.received.last?.header("Espalier-Tenant") }
        _ = try await Run("whoami", "--tenant", "acme", environment: environment)
        #expect(header() == "acme")
        _ = try await Run("whoami", environment: environment.merging(["ESPALIER_TENANT": "globex"]) { $1 })
        #expect(header() == "globex")
        _ = try await Run("whoami", environment: environment)
        #expect(header() == nil)
        for command in [["webhooks", "list", "--tenant", "acme"], ["tenants", "list"], ["usage", "list"], ["mail", "show"]] {
            _ = try await Run(arguments: command, environment: environment.merging(["ESPALIER_TENANT": "globex"]) { $1 })
            #expect(header() == nil, "\(command)")
        }
        _ = try await Run("whoami", "--tenant", "acme", environment: environment.merging(["ESPALIER_API_KEY": Run.exampleKey]) { $1 })
        #expect(header() == nil)
    }
}

@Suite("a change that needs a recent sign-in")
struct RecentSignInTests {
    private static let refusal = StubServer.Answer.problem(
        403, #"{"title":"Sign in again","detail":"This needs a recent sign-in.","code":"recent_sign_in_required"}"#)

    /// A server that accepts only the second login.
    private func platform(_ answer: @escaping @Sendable (StubServer.Request) -> StubServer.Answer) throws -> LoginPlatform {
        let platform = try LoginPlatform(tokens: [.token(LoginPlatform.secondToken)], others: answer)
        try platform.logIn()
        return platform
    }

    @Test("a terminal signs the person in again, and repeats the call once")
    func again() async throws {
        let platform = try platform { request in
            request.header("Authorization") == "Bearer \(LoginPlatform.secondToken)" ? .init(body: Examples.tenant) : Self.refusal
        }
        defer { platform.server.stop() }
        let run = try TerminalRun("tenants", "suspend", "acme", environment: platform.environment())
        try await run.sees("This change needs a recent sign-in.")
        let request = try await platform.opened()
        #expect(request["max_age"] == "300")
        #expect(try await platform.callBack(request).0 == 200)
        #expect(try await run.end().status == 0)
        let calls = platform.server.calls.filter { $0 == "POST /v1/tenants/acme/suspend" }
        #expect(calls.count == 2)
        #expect(platform.server.received.contains { $0.path == "/account/oauth2/revoke" && $0.body.contains(LoginPlatform.token) })
        #expect(try platform.folder.text("config/espalierctl/credentials.json").contains(LoginPlatform.secondToken))
    }

    @Test("the call is repeated only once")
    func once() async throws {
        let platform = try platform { _ in Self.refusal }
        defer { platform.server.stop() }
        let run = try TerminalRun("tenants", "suspend", "acme", environment: platform.environment())
        _ = try await platform.callBack(platform.opened())
        #expect(try await run.end().status == 1)
        #expect(platform.server.calls.filter { $0 == "POST /v1/tenants/acme/suspend" }.count == 2)
    }

    @Test(
        "without a terminal, with --no-input, or with an API key, the command fails with the next step",
        arguments: ["pipe", "--no-input", "key"])
    func silent(way: String) async throws {
        let platform = try platform { _ in Self.refusal }
        defer { platform.server.stop() }
        var environment = try platform.environment()
        if way == "key" { environment["ESPALIER_API_KEY"] = Run.exampleKey }
        let messages: String
        if way == "pipe" {
            messages = try await Run("tenants", "suspend", "acme", environment: environment).messages
        } else {
            let arguments = ["tenants", "suspend", "acme"] + (way == "key" ? [] : [way])
            let run = try TerminalRun(arguments: arguments, environment: environment)
            #expect(try await run.end().status == 1)
            messages = run.screen
        }
        #expect(messages.contains("next: Log in again, then repeat the command: espalierctl login"), "\(messages)")
        #expect(platform.server.calls == ["POST /v1/tenants/acme/suspend"])
    }
}
