import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl login")
struct LoginTests {
    @Test("the browser signs the person in, and the loopback port receives the code")
    func browser() async throws {
        let platform = try LoginPlatform(others: { request in
            let isCaller = request.path == "/v1/caller" && request.header("Authorization") == "Bearer \(LoginPlatform.token)"
            return isCaller
                ? .init(body: #"{"object":"caller","actor":"person_1","name":"Grace Hopper","email":"grace@example.com"}"#)
                : .init(status: 404, body: "")
        })
        defer { platform.server.stop() }
        let run = try TerminalRun("login", environment: platform.environment())
        let request = try await platform.opened()
        let redirect = try #require(request["redirect_uri"])
        #expect(redirect.wholeMatch(of: #/http://127\.0\.0\.1:[0-9]+/callback/#) != nil)
        #expect(
            request["address"]?.hasPrefix("\(platform.base)/account/oauth2/authorize?response_type=code&client_id=espalierctl&") == true)
        #expect(request["code_challenge_method"] == "S256" && request["max_age"] == nil)
        let page = try await platform.callBack(request)
        #expect(page.0 == 200 && page.1.contains("You can close this window"))
        try await run.sees("Logged in to \(platform.base) as grace@example.com. The login is in ")
        #expect(try await run.end() == (0, ""))

        let exchange = try #require(platform.server.received.last { $0.path == "/account/oauth2/token" })
        let fields = try #require(URLComponents(string: "?\(exchange.body)")?.queryItems)
        #expect(fields.first { $0.name == "redirect_uri" }?.value == redirect)
        #expect(fields.first { $0.name == "code" }?.value == "code-1")
        let verifier = try #require(fields.first { $0.name == "code_verifier" }?.value)
        #expect(PKCE(verifier: verifier).challenge == request["code_challenge"] && verifier.utf8.count == 43)
        #expect(try platform.folder.text("config/espalierctl/credentials.json").contains(LoginPlatform.token))
        #expect(try platform.folder.mode("config/espalierctl/credentials.json") == 0o600)
        #expect(!run.screen.contains(LoginPlatform.token) && !run.screen.contains(verifier))
    }

    @Test("requests that are not the response of this login get a page, and the login continues")
    func ignored() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let run = try TerminalRun("login", environment: platform.environment())
        let request = try await platform.opened()
        let redirect = try #require(request["redirect_uri"])
        #expect(try await platform.callBack(request, ["state": "guess"]).0 == 400)
        #expect(try await platform.callBack(request, ["state": ""]).0 == 400)
        #expect(try await platform.get(redirect.replacing("/callback", with: "/favicon.ico")).0 == 404)
        #expect(try await platform.get("\(redirect)?state=a&state=b").0 == 400)
        #expect(try await platform.callBack(request, host: "evil.example").0 == 400)
        #expect(platform.server.calls.allSatisfy { !$0.hasPrefix("POST") })
        #expect(try await platform.callBack(request).0 == 200)
        #expect(try await run.end().status == 0)
    }

    @Test(
        "a response of another issuer, without an issuer, or with an error ends the login",
        arguments: ["https://evil.example", "", "error"])
    func refused(issuer: String) async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let run = try TerminalRun("login", environment: platform.environment())
        let request = try await platform.opened()
        let page = try await platform.callBack(request, issuer == "error" ? ["error": "access_denied"] : ["iss": issuer])
        #expect(page.1.contains("Nobody is logged in"))
        #expect(try await run.end().status == 1)
        #expect(run.screen.contains("error: "))
        if issuer.hasPrefix("https") {
            #expect(run.screen.contains("names the issuer https://evil.example. It must name \(platform.base)"), "\(run.screen)")
        }
        #expect(platform.server.calls.allSatisfy { !$0.hasPrefix("POST") })
        #expect(!platform.folder.exists("config/espalierctl/credentials.json"))
    }

    @Test(
        "metadata of another issuer, or with an endpoint elsewhere, is refused",
        arguments: [
            (#""issuer":"http"#, #""issuer":"https"#), (#"/account",""#, #"/account/",""#),
            ("/account/oauth2/token", "@evil.example/token"),
            ("/account/oauth2/revoke", "0/account/oauth2/revoke"),
        ])
    func metadata(part: String, other: String) async throws {
        let platform = try LoginPlatform(metadata: { $0.replacing(part, with: other) })
        defer { platform.server.stop() }
        let run = try await Run("login", "--no-browser", environment: platform.environment())
        #expect(run.status == 1 && platform.server.received.count == 1, "\(run.messages)")
        if part == #""issuer":"http"# {
            let issuer = platform.base.replacing("http://", with: "https://") + "/account"
            #expect(run.messages.contains("names the issuer \(issuer), and not \(platform.base)/account."), "\(run.messages)")
            #expect(run.messages.contains("espalierctl login --base-url \(issuer.dropLast("/account".count))\n"), "\(run.messages)")
        }
    }

    @Test(
        "without a browser, a code is shown, and the command polls for the login",
        arguments: [["login", "--no-browser"], ["login"], ["ssh"]])
    func code(arguments: [String]) async throws {
        let platform = try LoginPlatform(tokens: [.refusal("authorization_pending"), .token(LoginPlatform.token)])
        defer { platform.server.stop() }
        var environment = try platform.environment(browser: arguments != ["login"])
        if arguments == ["ssh"] { environment["SSH_CONNECTION"] = "203.0.113.7 1 203.0.113.8 22" }
        let run = try await Run(arguments: arguments == ["ssh"] ? ["login"] : arguments, environment: environment)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages.contains("\(platform.base)/account/device\n  BCDF-GHJK\n"))
        let polls = platform.server.received.filter { $0.path == "/account/oauth2/token" }
        #expect(polls.count == 2)
        #expect(polls[0].body == "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=edc_1&client_id=espalierctl")
        #expect(!platform.folder.exists("opened"))
    }

    @Test("a refused or expired code, or a token of another form, ends the login", arguments: ["access_denied", "expired_token", "token"])
    func codeRefused(error: String) async throws {
        let platform = try LoginPlatform(tokens: [error == "token" ? .token("eps_short\r\nX: y") : .refusal(error)])
        defer { platform.server.stop() }
        let run = try await Run("login", "--no-browser", environment: platform.environment())
        #expect(run.status == 1 && run.messages.contains("\nerror: "), "\(run.messages)")
        #expect(!platform.folder.exists("config/espalierctl/credentials.json"))
    }

    @Test("a server without logins is named, and --base-url is remembered only after a login")
    func profile() async throws {
        let old = try StubServer(answering: .init(status: 404, body: ""))
        defer { old.stop() }
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        var environment = try platform.environment()
        environment["ESPALIER_BASE_URL"] = nil
        let refused = try await Run("login", "--no-browser", "--base-url", old.baseURL, environment: environment)
        #expect(refused.status == 1 && refused.messages.contains("has no login for people"), "\(refused.messages)")
        #expect(try await Run("login", "--no-browser", "--server", platform.base, environment: environment).status == 0)
        #expect(try await Run("config", "get", "base-url", environment: environment).output == "\(platform.base)\n")
        #expect(try await Run("tenants", "show", "acme", environment: environment).status == 0)
    }

    @Test("a second login ends the first one, and a key in the environment is reported")
    func replaced() async throws {
        let platform = try LoginPlatform(tokens: [.token(LoginPlatform.secondToken)])
        defer { platform.server.stop() }
        try platform.logIn()
        let environment = try platform.environment().merging(["ESPALIER_API_KEY": Run.exampleKey]) { $1 }
        let run = try await Run("login", "--no-browser", environment: environment)
        #expect(run.status == 0 && run.messages.contains("The API key of ESPALIER_API_KEY takes precedence"), "\(run.messages)")
        let end = platform.server.received.last { $0.path == "/account/oauth2/revoke" }
        #expect(end?.body == "token=\(LoginPlatform.token)&client_id=espalierctl")
    }

    @Test("logout ends the login at the server and on this machine")
    func logout() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        try platform.logIn()
        let environment = try platform.environment()
        #expect(try await Run("logout", environment: environment).messages == "You are logged out at \(platform.base).\n")
        #expect(platform.server.received.last?.body == "token=\(LoginPlatform.token)&client_id=espalierctl")
        #expect(try await Run("logout", environment: environment).messages == "You are not logged in at \(platform.base).\n")
        #expect(try await Run("tenants", "show", "acme", environment: environment).status == 4)
    }

    @Test("a logout without the server removes the login, and says that it is still valid")
    func logoutAlone() async throws {
        let platform = try LoginPlatform()
        try platform.logIn()
        platform.server.stop()
        let run = try await Run("logout", environment: platform.environment())
        #expect(run.status == 1 && run.messages.contains("is removed from this machine, but it is still valid"), "\(run.messages)")
        #expect(try !platform.folder.text("config/espalierctl/credentials.json").contains(LoginPlatform.token))
    }

    @Test("open opens a page, and prints its address without a browser")
    func open() async throws {
        let platform = try LoginPlatform()
        defer { platform.server.stop() }
        let run = try await Run("open", "sessions", environment: platform.environment())
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(try await platform.opened()["address"] == "\(platform.base)/account/sessions")
        let silent = try await Run("open", "tenant", "--tenant", "acme", environment: ["ESPALIER_BASE_URL": platform.base])
        #expect(silent.output == "\(platform.base)/t/acme/.well-known/openid-configuration\n")
    }

    @Test(
        "a page that does not exist is refused with the list, and the nearest page or the place of what it names",
        arguments: [
            ("console", "Espalier has no console."), ("Consol", "Espalier has no console."), ("docs", "Read the folder docs"),
            ("session", "Did you mean `sessions`?"), ("pass-keys", "Did you mean `passkeys`?"), ("apikeys", "Did you mean `api-keys`?"),
            ("xyzzy", "`espalierctl open --help`"), ("docs\u{301}\u{301}", "`espalierctl open --help`"),
        ])
    func unknownPage(page: String, next: String) async throws {
        let run = try await Run("open", page)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.messages.contains("Pass one of: account, sessions, passkeys, api-keys, tenant."), "\(run.messages)")
        #expect(run.messages.contains(next), "\(run.messages)")
    }
}
