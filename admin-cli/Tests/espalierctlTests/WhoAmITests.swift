import Testing

@testable import espalierctl

@Suite("espalierctl whoami")
struct WhoAmITests {
    /// A person with two memberships, who acts for the tenant of the header.
    private func platform() throws -> LoginPlatform {
        let scopes = APIKeyScope.all.map { "\"\($0)\"" }.joined(separator: ",")
        let platform = try LoginPlatform(others: { request in
            let tenant = request.header("Espalier-Tenant") == "acme" ? #","tenant":"acme","tenant_id":"tenant_1","role":"owner""# : ""
            return .init(
                body: #"""
                    {"object":"caller","actor":"person_1","name":"Ada Lovelace","scopes":[\#(scopes)]\#(tenant),"memberships":[\#
                    {"tenant":"acme","tenant_id":"tenant_1","role":"owner"},{"tenant":"globex","tenant_id":"tenant_2","role":"viewer"}]}
                    """#)
        })
        try platform.logIn()
        return platform
    }

    @Test("a tenant without a membership fails, and prints nothing", arguments: ["nope", "tenant_7", "globe"])
    func stranger(tenant: String) async throws {
        let platform = try platform()
        defer { platform.server.stop() }
        let run = try await Run("whoami", "--tenant", tenant, "--json", environment: platform.environment())
        #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
        #expect(
            run.messages.hasPrefix("error: You are not a member of the tenant \(tenant), or the tenant does not exist.\n"),
            "\(run.messages)")
        let key = try await Run(
            "whoami", "--tenant", tenant, environment: ["ESPALIER_BASE_URL": platform.base, "ESPALIER_API_KEY": Run.exampleKey])
        #expect(key.status == 1 && key.messages.hasPrefix("error: This API key is not one of the tenant"), "\(key.messages)")
    }

    @Test("an operator needs no membership, but the tenant must exist", arguments: [("acme", Int32(0)), ("nope", 1)])
    func ofOperator(tenant: String, status: Int32) async throws {
        let platform = try LoginPlatform(others: { request in
            switch request.path {
            case "/v1/caller": .init(body: #"{"object":"caller","actor":"person_1","is_operator":true,"scopes":[],"memberships":[]}"#)
            case "/v1/tenants/acme": .problem(403, #"{"detail":"No.","code":"support_required"}"#)
            default: .problem(404, #"{"detail":"Tenant not found.","code":"not_found"}"#)
            }
        })
        defer { platform.server.stop() }
        try platform.logIn()
        let run = try await Run("whoami", "--tenant", tenant, environment: platform.environment())
        #expect(run.status == status && run.output.isEmpty == (status == 1), "\(run.messages)")
    }

    @Test("several memberships without a tenant get the option that chooses one")
    func several() async throws {
        let platform = try platform()
        defer { platform.server.stop() }
        let run = try await Run("whoami", environment: platform.environment())
        #expect(run.status == 0 && run.messages == "You have 2 memberships. --tenant SLUG chooses one.\n", "\(run.messages)")
        let chosen = try await Run("whoami", "--tenant", "acme", environment: platform.environment())
        #expect(chosen.status == 0 && chosen.messages.isEmpty)
    }

    @Test("a configured tenant without a membership is named, with the tenants to choose from", arguments: ["nope", "tenant_7"])
    func configured(tenant: String) async throws {
        let platform = try platform()
        defer { platform.server.stop() }
        let environment = try platform.environment().merging(["ESPALIER_TENANT": tenant]) { $1 }
        let run = try await Run("whoami", environment: environment)
        #expect(run.status == 0 && run.output.contains("Ada Lovelace"))
        #expect(run.messages.hasPrefix("You are not a member of the tenant \(tenant), or the tenant does not exist. "), "\(run.messages)")
        #expect(run.messages.contains("ESPALIER_TENANT") && run.messages.contains("--tenant: acme, globex."), "\(run.messages)")
        let member = try await Run("whoami", environment: environment.merging(["ESPALIER_TENANT": "acme"]) { $1 })
        #expect(member.status == 0 && member.messages.isEmpty, "\(member.messages)")
    }

    @Test("a configured tenant of a person without a membership, and of an operator", arguments: [true, false], ["acme", "nope"])
    func withoutMembership(isOperator: Bool, tenant: String) async throws {
        let platform = try LoginPlatform(others: { request in
            // The server names a tenant that exists to an operator.
            let named = isOperator && request.header("Espalier-Tenant") == "acme" ? #","tenant":"acme","tenant_id":"tenant_1""# : ""
            return .init(
                body: #"{"object":"caller","actor":"person_1","is_operator":\#(isOperator)\#(named),"scopes":[],"memberships":[]}"#)
        })
        defer { platform.server.stop() }
        try platform.logIn()
        let run = try await Run("whoami", environment: platform.environment().merging(["ESPALIER_TENANT": tenant]) { $1 })
        #expect(run.status == 0 && run.messages.contains("Ask an owner to invite you.") != isOperator, "\(run.messages)")
        let note = "The tenant nope does not exist. ESPALIER_TENANT, "
        #expect(run.messages.hasPrefix(note) == (isOperator && tenant == "nope"), "\(run.messages)")
        #expect(!isOperator || tenant == "nope" || run.messages.isEmpty, "\(run.messages)")
    }

    @Test("a membership that the login cannot use gets another login", arguments: ["acme", "tenant_1"])
    func otherProvider(tenant: String) async throws {
        let platform = try LoginPlatform(others: { _ in
            .init(
                body: #"""
                    {"object":"caller","actor":"person_1","is_operator":false,"scopes":[],\#
                    "memberships":[{"tenant":"acme","tenant_id":"tenant_1","role":"owner"}]}
                    """#)
        })
        defer { platform.server.stop() }
        try platform.logIn()
        let text = "This login has no access to the tenant \(tenant), which may require a sign-in with its own provider."
        let flag = try await Run("whoami", "--tenant", tenant, environment: platform.environment())
        #expect(flag.status == 1 && flag.messages == "error: \(text)\nnext: Log in again: espalierctl login\n", "\(flag.messages)")
        let setting = try await Run("whoami", environment: platform.environment().merging(["ESPALIER_TENANT": tenant]) { $1 })
        #expect(setting.status == 0 && setting.messages == "\(text) Log in again: espalierctl login\n", "\(setting.messages)")
    }

    @Test("the scopes continue below their beginning on a terminal", arguments: [60, 80])
    func scopes(width: UInt16) async throws {
        let platform = try platform()
        defer { platform.server.stop() }
        let run = try TerminalRun("whoami", "--tenant", "acme", environment: platform.environment(), columns: width)
        #expect(try await run.end().status == 0)
        #expect(run.lines.allSatisfy { $0.count <= Int(width) }, "\(run.screen)")
        #expect(run.lines.contains { $0.hasPrefix("        ") && $0.contains("users:write") }, "\(run.screen)")
    }
}
