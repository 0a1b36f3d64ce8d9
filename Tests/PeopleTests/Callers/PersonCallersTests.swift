import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("People as callers")
struct PersonCallersTests {
    private static func status(
        _ path: String, _ headers: [(String, String)], _ platform: TestPlatform
    ) async throws -> Int {
        try await TestBrowser(platform).get(TestPlatform.publicURL + "/v1" + path, headers: headers).status
    }

    private static func status(_ path: String, _ secret: String, _ platform: TestPlatform) async throws -> Int {
        try await status(path, [("Authorization", "Bearer \(secret)")], platform)
    }

    @Test("a role decides on the scopes in its tenant; another tenant is not found, and the platform is for operators")
    func roles() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.viewer))
            let (_, secret) = try await platform.startSession(person)
            #expect(try await Self.status("/tenants/acme/members", secret, platform) == 200)
            #expect(
                try await platform.call("POST", "/tenants/acme/roles", key: secret, ["name": "x", "scopes": ["users:read"]]).status == 403)
            #expect(try await Self.status("/tenants/globex/members", secret, platform) == 404)
            #expect(try await Self.status("/tenants", secret, platform) == 403)

            let (_, ops) = try await platform.addMember("Grace", as: .builtIn(.platformOperator), of: .platform)
            let (_, other) = try await platform.startSession(ops)
            for path in ["/tenants", "/tenants/globex/members", "/platform/operators"] {
                #expect(try await Self.status(path, other, platform) == 200, "\(path)")
            }
        }
    }

    @Test("a member who is an operator too acts as the member in its tenant, and as the operator elsewhere")
    func both() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.billing))
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: person, as: .builtIn(.platformOperator), owner: .platform, at: Date()))
            let (_, secret) = try await platform.startSession(person)
            #expect(try await Self.status("/tenants/acme/members", secret, platform) == 403)
            #expect(try await Self.status("/tenants/globex/members", secret, platform) == 200)
            #expect(try await Self.status("/tenants", secret, platform) == 200)
        }
    }

    @Test("only the bearer token of a terminal works: no browser session, no cookie, no other text")
    func tokens() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let (_, browser) = try await platform.startSession(person, .browser)
            let (_, terminal) = try await platform.startSession(person)
            #expect(try await Self.status("/tenants/acme", browser, platform) == 401)
            for name in ["__Host-espalier-account", "espalier-account"] {
                for secret in [browser, terminal] {
                    #expect(try await Self.status("/tenants/acme", [("Cookie", "\(name)=\(secret)")], platform) == 401)
                }
            }
            // One combining mark more is another text, not the same token.
            for text in [terminal + "\u{301}", terminal + "\u{200D}", String(terminal.dropLast()) + "\u{600}", "eps_"] {
                #expect(try await Self.status("/tenants/acme", text, platform) == 401)
            }
            #expect(try await Self.status("/tenants/acme", terminal, platform) == 200)
        }
    }

    @Test("the end of a session, a new password and a removed membership take effect at once")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let (member, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let (first, second) = (try await platform.startSession(person), try await platform.startSession(person))
            for session in [first, second] { #expect(try await Self.status("/tenants/acme", session.secret, platform) == 200) }
            _ = try await platform.ownerPool.run(PersonSession.end(first.id, of: person, .signOut, at: Date()))
            try await eventually("the session is over") { try await Self.status("/tenants/acme", first.secret, platform) == 401 }
            #expect(try await Self.status("/tenants/acme", second.secret, platform) == 200)
            _ = try await platform.ownerPool.run("DELETE FROM membership WHERE id = \(member)")
            try await eventually("the membership is over") { try await Self.status("/tenants/acme", second.secret, platform) == 404 }
            _ = try await platform.ownerPool.run("UPDATE person SET sessions_valid_after = now() WHERE id = \(person)")
            try await eventually("all sessions are over") { try await Self.status("/tenants/acme", second.secret, platform) == 401 }
        }
    }

    @Test("after deleteMember and deleteOperator, the person's next request has no permission, without a wait")
    func nextRequest() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            let person = try await platform.addMember("Grace", as: .builtIn(.platformOperator), of: .platform)
            let (_, ada) = try await platform.startSession(member.person)
            let (_, grace) = try await platform.startSession(person.person)
            #expect(try await Self.status("/tenants/acme", ada, platform) == 200)
            #expect(try await Self.status("/tenants", grace, platform) == 200)
            #expect(try await platform.call("DELETE", "/tenants/acme/members/\(member.id)").status == 204)
            #expect(try await Self.status("/tenants/acme", ada, platform) == 404)
            #expect(try await platform.call("DELETE", "/platform/operators/\(person.id)").status == 204)
            #expect(try await Self.status("/tenants", grace, platform) == 403)
        }
    }

    @Test("an idle session, an expired one and the session for another tenant do not work")
    func limits() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let kind = PersonSession.Kind.terminal
            let (_, idle) = try await platform.startSession(person, at: Date() - kind.idleTime)
            #expect(try await Self.status("/tenants/acme", idle, platform) == 401)
            let expired = try await platform.startSession(person, at: Date() - kind.lifetime)
            _ = try await platform.ownerPool.run("UPDATE person_session SET last_used_at = now() WHERE id = \(expired.id)")
            #expect(try await Self.status("/tenants/acme", expired.secret, platform) == 401)
            let (_, elsewhere) = try await platform.startSession(person, onlyTenant: platform.globexID)
            #expect(try await Self.status("/tenants/acme", elsewhere, platform) == 404)
        }
    }

    @Test("a change of a tenant's own role takes effect")
    func customRole() async throws {
        try await TestPlatform.run { platform in
            let role = try await platform.call(
                "POST", "/tenants/acme/roles", key: platform.acmeKey, ["name": "Desk", "scopes": ["users:read"]])
            let id = try #require(ID<CustomRole>(role.string("id") ?? ""))
            let (_, person) = try await platform.addMember("Ada", as: .custom(id))
            let (_, secret) = try await platform.startSession(person)
            #expect(try await Self.status("/tenants/acme/users", secret, platform) == 200)
            _ = try await platform.call("PATCH", "/tenants/acme/roles/\(id)", key: platform.acmeKey, ["scopes": ["members:read"]])
            try await eventually("the role has changed") { try await Self.status("/tenants/acme/users", secret, platform) == 403 }
            #expect(try await Self.status("/tenants/acme/members", secret, platform) == 200)
        }
    }
}
