import Testing

@Suite("espalierctl tenants show")
struct ShowTenantTests {
    private func tenant(named name: String) -> String {
        """
        {"id":"tenant_06f0c3y8d2q9x1m4n7p5r8s0vw","object":"tenant","slug":"acme","name":"\(name)","plan":"enterprise",\
        "status":"active","issuer":"https://id.example.com/t/acme","created_at":"2026-11-21T08:00:00Z","updated_at":"2026-11-21T09:00:00Z"}
        """
    }

    @Test("a person sees the tenant's properties")
    func table() async throws {
        let server = try StubServer(answering: .init(body: tenant(named: "Acme")))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(
            run.output == """
                ID       tenant_06f0c3y8d2q9x1m4n7p5r8s0vw
                Slug     acme
                Name     Acme
                Plan     enterprise
                Status   active
                Issuer   https://id.example.com/t/acme
                Created  2026-11-21T08:00:00Z
                Updated  2026-11-21T09:00:00Z

                """)
        #expect(server.requests.first?.hasPrefix("GET /v1/tenants/acme HTTP/1.1\r\n") == true)
    }

    @Test("a program receives the server's JSON unchanged")
    func json() async throws {
        let server = try StubServer(answering: .init(body: tenant(named: "Acme")))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", "--json", environment: Run.environment(for: server))
        #expect(run.output == tenant(named: "Acme") + "\n")
    }

    @Test("a name is printed without its control characters")
    func hostileName() async throws {
        let server = try StubServer(answering: .init(body: tenant(named: #"Ac\u001b[2J\u0007me"#)))
        defer { server.stop() }
        let run = try await Run("tenants", "show", "acme", environment: Run.environment(for: server))
        #expect(run.output.contains("Name     Ac[2Jme\n"))
    }

    @Test("a tenant that would change the path is an invalid command line", arguments: ["..", "a/b", "a?b", "a%2Fb", ""])
    func wrongTenant(tenant: String) async throws {
        let run = try await Run("tenants", "show", tenant)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
    }
}
