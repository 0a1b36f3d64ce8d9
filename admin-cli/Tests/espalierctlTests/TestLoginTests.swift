import Crypto
import Foundation
import Synchronization
import Testing

@testable import espalierctl

@Suite("espalierctl applications test-login")
struct TestLoginTests {
    /// A server with a tenant's REST API and OpenID provider. It redeems one code.
    /// - Parameter application: the only application.
    private static func provider(application: String = Examples.application) throws -> StubServer {
        let base = Mutex("")
        let server = try StubServer { request in
            let issuer = base.withLock { $0 } + "/t/acme"
            switch "\(request.method) \(request.path)" {
            case "GET /v1/tenants/acme":
                return .init(body: Examples.tenant.replacingOccurrences(of: "https://id.example.com/t/acme", with: issuer))
            case "GET /v1/tenants/acme/applications/app_1":
                return .init(body: application)
            case "GET /t/acme/.well-known/openid-configuration":
                return .init(
                    body: #"{"token_endpoint":"\#(issuer)/oauth2/token","userinfo_endpoint":"\#(issuer)/oauth2/userinfo"}"#)
            case "POST /t/acme/oauth2/token":
                if request.body.contains("code=unauthenticated&") {
                    return .init(
                        status: 401, headers: ["Content-Type": "application/json", "WWW-Authenticate": #"Basic realm="x""#],
                        body: #"{"error":"invalid_client","error_description":"The secret is wrong."}"#)
                }
                guard request.body.contains("code=good&") else {
                    return .init(status: 400, body: #"{"error":"invalid_grant","error_description":"The code has expired."}"#)
                }
                return .init(body: #"{"access_token":"token"}"#)
            case "GET /t/acme/oauth2/userinfo":
                return request.header("Authorization") == "Bearer token"
                    ? .init(body: #"{"sub":"user_1"}"#) : .init(status: 401, body: "{}")
            case "GET /v1/tenants/acme/usage":
                return .init(body: #"{"logins":1}"#)
            default:
                return .problem(500, #"{"detail":"\#(request.call) was not expected."}"#)
            }
        }
        base.withLock { $0 = server.baseURL }
        return server
    }

    private func parameter(_ name: String, of url: String) -> String? {
        URLComponents(string: url)?.queryItems?.first { $0.name == name }?.value
    }

    @Test("the browser's final address completes the login")
    func completes() async throws {
        let server = try Self.provider()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        try folder.file("shop.secret", "hush-hush\n")
        let run = try TerminalRun(
            "applications", "test-login", "app_1", "--tenant", "acme", "--secret-file", "shop.secret",
            environment: Run.environment(for: server), folder: folder.url, columns: 400)
        try await run.sees("Open this address in a browser")
        let url = try #require(run.screen.split(separator: "\n").first { $0.contains("/oauth2/authorize?") }).description
        let state = try #require(parameter("state", of: url))
        let question = "Address at which the browser arrives (Enter to stop): "
        let callback = "https://shop.example.com/callback"
        for (address, problem) in [
            ("\(callback)?code=good", "This address has no `state`."),
            ("\(callback)?code=good&state=other", "its `state` differs"),
            ("\(callback)?code=good&state=\(state)%CC%81", "its `state` differs"),
            ("\(callback)?state=\(state)", "This address has no `code`."),
            ("\(callback)?error=access_denied&error_description=Cancelled&state=\(state)", "`access_denied`: Cancelled"),
            ("\(callback)?code=late&state=\(state)", "invalid_grant: The code has expired."),
        ] {
            try await run.answers(question, address)
            try await run.sees(problem)
        }
        try await run.answers(question, "'\(callback)?code=good&state=\(state)&iss=x'")
        try await run.sees("✓ The test login works: user_1 signed in.")
        try await run.sees("✓ Logins this month: 1.")
        #expect(try await run.end().status == 0)

        let redeemed = try #require(server.received.last { $0.path == "/t/acme/oauth2/token" })
        let form = try #require(URLComponents(string: "?\(redeemed.body)")?.queryItems)
        func field(_ name: String) -> String { form.first { $0.name == name }?.value ?? "" }
        #expect(field("client_id") == "app_1")
        #expect(field("client_secret") == "hush-hush")
        #expect(field("redirect_uri") == "https://shop.example.com/callback")
        let digest = Data(SHA256.hash(data: Data(field("code_verifier").utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(parameter("code_challenge", of: url) == digest)
        #expect(!run.screen.contains("hush-hush"))
        #expect(redeemed.header("Authorization") == nil, "the API key went to the token endpoint")
    }

    @Test("without an address the command fails, and no two tests share a state or a verifier")
    func stopped() async throws {
        let server = try Self.provider()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        try folder.file("shop.secret", "hush-hush\n")
        var urls: [String] = []
        for _ in 0..<2 {
            let run = try await Run(
                arguments: ["applications", "test-login", "app_1", "--tenant", "acme", "--secret-file", "shop.secret"],
                environment: Run.environment(for: server), folder: folder.url)
            #expect(run.status == 1)
            #expect(run.messages.contains("The test login was not completed."))
            urls.append(run.output)
        }
        #expect(parameter("state", of: urls[0]) != parameter("state", of: urls[1]))
        #expect(parameter("code_challenge", of: urls[0]) != parameter("code_challenge", of: urls[1]))
    }

    @Test("a test login that cannot be completed is rejected before its address is printed")
    func refused() async throws {
        let server = try Self.provider()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        try folder.file("shop.secret", "hush-hush\n")
        for (arguments, problem) in [
            ([], "error: This application has a secret.\nnext: Pass --secret-file FILE.\n"),
            (
                ["--secret-file", "shop.secret", "--redirect-uri", "https://shop.example.com/callback/"],
                """
                error: https://shop.example.com/callback/ is not a redirect URI of the application.
                next: Pass one of these as --redirect-uri: https://shop.example.com/callback.

                """
            ),
        ] {
            let run = try await Run(
                arguments: ["applications", "test-login", "app_1", "--tenant", "acme"] + arguments,
                environment: Run.environment(for: server), folder: folder.url)
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            #expect(run.messages == problem)
        }
    }

    @Test("a wrong secret ends the test, and the next step names the option")
    func wrongSecret() async throws {
        let server = try Self.provider()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        try folder.file("old.secret", "outdated\n")
        let run = try TerminalRun(
            "applications", "test-login", "app_1", "--tenant", "acme", "--secret-file", "old.secret",
            environment: Run.environment(for: server), folder: folder.url, columns: 400)
        try await run.sees("Open this address in a browser")
        let url = try #require(run.screen.split(separator: "\n").first { $0.contains("/oauth2/authorize?") }).description
        let state = try #require(parameter("state", of: url))
        try await run.answers(
            "Address at which the browser arrives (Enter to stop): ",
            "\"https://shop.example.com/callback?code=unauthenticated&state=\(state)\"")
        try await run.sees("error: invalid_client: The secret is wrong.")
        try await run.sees("with the file of this application's secret as --secret-file.")
        #expect(try await run.end().status == 1)
        #expect(!run.screen.contains("Open the test login again"))
    }

    @Test(
        "any port of a loopback address is allowed, but localhost needs its registered port",
        arguments: [
            ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", true), ("http://127.0.0.1:80/cb", "http://127.0.0.1/cb", true),
            ("http://[::1]/cb", "http://[::1]:1/cb", true), ("http://127.0.0.1/cb", "http://127.0.0.1:49152/other", false),
            ("http://127.0.0.1/cb", "http://[::1]:49152/cb", false), ("http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:0/cb", false), ("http://localhost/cb", "http://localhost:49152/cb", false),
            ("https://127.0.0.1/cb", "https://127.0.0.1:49152/cb", false),
        ])
    func loopback(registered: String, requested: String, isAllowed: Bool) async throws {
        let application = Examples.application.replacing("https://shop.example.com/callback", with: registered)
            .replacing(#""kind":"web""#, with: #""kind":"native""#)
        let server = try Self.provider(application: application)
        defer { server.stop() }
        let run = try await Run(
            "applications", "test-login", "app_1", "--tenant", "acme", "--redirect-uri", requested,
            environment: Run.environment(for: server))
        #expect(run.status == (isAllowed ? 1 : 2))
        #expect(run.output.contains("/oauth2/authorize?") == isAllowed, "\(run.messages)")
    }

    @Test("the error for a machine suggests another application")
    func machine() async throws {
        let application = Examples.application.replacing(#"["https://shop.example.com/callback"]"#, with: "[]")
            .replacing(#""kind":"web""#, with: #""kind":"machine""#)
        let server = try Self.provider(application: application)
        defer { server.stop() }
        let run = try await Run("applications", "test-login", "app_1", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("An application of the kind machine has no redirect URI."))
        #expect(run.messages.contains("espalierctl applications list") && !run.messages.contains("Register"))
    }
}
