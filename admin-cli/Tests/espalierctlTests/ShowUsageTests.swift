import Testing

@testable import espalierctl

@Suite("espalierctl usage show")
struct ShowUsageTests {
    private let november = """
        {"object":"usage","tenant_id":"tenant_06f0c3y8d2q9x1m4n7p5r8s0vw","from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z",\
        "logins":13,"days":[{"date":"2026-11-21","logins":3},{"date":"2026-11-22","logins":10}]}
        """

    @Test("a person sees a table of days and the total")
    func table() async throws {
        let server = try StubServer(answering: .init(body: november))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(
            run.output == """
                2026-11-01T00:00:00Z to 2026-12-01T00:00:00Z

                DATE        LOGINS
                2026-11-21       3
                2026-11-22      10
                Total           13

                """)
        #expect(run.messages.isEmpty)
    }

    @Test("silent sign-ins have a column if there is one, and a filter")
    func silent() async throws {
        let answer = """
            {"object":"usage","tenant_id":"tenant_1","from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","logins":3,\
            "silent_logins":12,"days":[{"date":"2026-11-21","logins":3,"silent_logins":2},\
            {"date":"2026-11-22","logins":0,"silent_logins":10}]}
            """
        let server = try StubServer(answering: .init(body: answer))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(
            run.output == """
                2026-11-01T00:00:00Z to 2026-12-01T00:00:00Z

                DATE        LOGINS  SILENT SIGN-INS
                2026-11-21       3                2
                2026-11-22       0               10
                Total            3               12

                """)
        _ = try await Run(
            "usage", "show", "--tenant", "acme", "--window", "day", "--kind", "silent_login", environment: Run.environment(for: server))
        #expect(server.calls.last == "GET /v1/tenants/acme/usage?window=day&kind=silent_login")
    }

    @Test("a program receives the server's JSON unchanged")
    func json() async throws {
        let server = try StubServer(answering: .init(body: november))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", "--json", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.output == november + "\n")
    }

    @Test("the server receives the key, the tenant and the range")
    func request() async throws {
        let server = try StubServer(answering: .init(body: november))
        defer { server.stop() }
        _ = try await Run(
            "usage", "show", "--tenant", "acme", "--from", "2026-11-01", "--to", "2026-12-01T01:00:00+01:00",
            environment: Run.environment(for: server))
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("GET /v1/tenants/acme/usage?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z HTTP/1.1\r\n"))
        #expect(head.contains("Authorization: Bearer \(Run.exampleKey)\r\n"))
    }

    @Test("without a range, the server chooses it")
    func noWindow() async throws {
        let server = try StubServer(answering: .init(body: november))
        defer { server.stop() }
        _ = try await Run("usage", "show", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(server.requests.first?.hasPrefix("GET /v1/tenants/acme/usage HTTP/1.1\r\n") == true)
    }

    @Test("windows are grouped and filtered, the total has no users, and a message contains the end of complete data")
    func windows() async throws {
        let answer = """
            {"object":"usage","tenant_id":"tenant_1","from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z",\
            "complete_until":"2026-11-21T09:58:00Z","logins":13,"windows":[\
            {"from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","application_id":"app_1","connection":"own","logins":3,"users":2},\
            {"from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","application_id":"app_2","connection":"own","logins":10,"users":4}]}
            """
        let server = try StubServer(answering: .init(body: answer))
        defer { server.stop() }
        let run = try await Run(
            "usage", "show", "--tenant", "acme", "--window", "month", "--group-by", "application", "--group-by", "connection",
            "--application", "app_1", "--connection", "own", "--kind", "login", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(
            server.calls == [
                "GET /v1/tenants/acme/usage?window=month&group_by=application%2Cconnection&application_id=app_1&connection=own&kind=login"
            ])
        #expect(
            run.output == """
                2026-11-01T00:00:00Z to 2026-12-01T00:00:00Z

                FROM                  APPLICATION  CONNECTION  LOGINS  USERS
                2026-11-01T00:00:00Z  app_1        own              3      2
                2026-11-01T00:00:00Z  app_2        own             10      4
                Total                 -            -               13      -

                """)
        #expect(run.messages == "Complete up to 2026-11-21T09:58:00Z.\n")
        let whole = try await Run("usage", "show", "--tenant", "acme", "--jq", ".", environment: Run.environment(for: server))
        #expect(whole.output.hasSuffix("}\n") && whole.messages == "Complete up to 2026-11-21T09:58:00Z.\n")
    }

    @Test(
        "options that need --window are rejected without it, and so are invalid windows",
        arguments: [
            ["--group-by", "kind"], ["--application", "app_1"], ["--connection", "own"], ["--kind", "login"], ["--window", "week"],
            ["--window", "day", "--group-by", "user"],
        ])
    func needsWindow(arguments: [String]) async throws {
        #expect(try await Run(arguments: ["usage", "show", "--tenant", "acme"] + arguments).status == 2)
    }

    @Test("an invalid time is an invalid command line", arguments: ["yesterday", "2026-13-01", "2026-11-01T00:00:00"])
    func wrongWindow(time: String) async throws {
        let run = try await Run("usage", "show", "--tenant", "acme", "--from", time)
        #expect(run.status == 2)
        #expect(run.messages.contains("--from"))
    }

    @Test("1 user is printed in the singular")
    func singular() async throws {
        let server = try StubServer(
            answering: .init(body: #"{"from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","logins":2,"users":1,"windows":[]}"#))
        defer { server.stop() }
        let run = try await Run("usage", "show", "--tenant", "acme", "--window", "month", environment: Run.environment(for: server))
        #expect(run.output.contains("1 different user\n"), "\(run.output)")
        #expect(counted("0", "row") == "0 rows" && counted("1", "row") == "1 row" && counted("11", "row") == "11 rows")
    }
}
