import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("getCaller")
struct GetCallerTests {
    private static func get(_ secret: String, tenant: String? = nil, _ platform: TestPlatform) async throws -> TestBrowser.Answer {
        let headers = [("Authorization", "Bearer \(secret)")] + (tenant.map { [("Espalier-Tenant", $0)] } ?? [])
        return try await TestBrowser(platform).get(TestPlatform.publicURL + "/v1/caller", headers: headers)
    }

    @Test("a key sees its name, tenant and scopes, and an operator's key no tenant")
    func keys() async throws {
        try await TestPlatform.run { platform in
            let own = try await Self.get(try await platform.acmeKey(["users:read", "usage:read"]), platform)
            #expect(own.status == 200)
            #expect(own.string("name") == "Narrow" && own.string("tenant") == "acme" && own.string("tenant_id") == platform.acme.id)
            #expect(own.json["scopes"] as? [String] == ["usage:read", "users:read"])
            #expect(own.json["is_operator"] as? Bool == false && own.json["session"] == nil && own.json["memberships"] == nil)
            let operators = try await Self.get(platform.operatorKey, platform)
            #expect(operators.status == 200 && operators.json["is_operator"] as? Bool == true && operators.json["tenant"] == nil)
        }
    }

    @Test("a person sees its session and memberships, and chooses the tenant with a header")
    func people() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.billing))
            let session = try await platform.startSession(person)
            let only = try await Self.get(session.secret, platform)
            #expect(only.status == 200)
            #expect(only.string("actor") == person.description && only.string("email") == "ada@example.com")
            #expect(only.string("tenant") == "acme" && only.string("role") == "billing")
            #expect(only.json["scopes"] as? [String] == BuiltInRole.billing.scopes.map(\.rawValue).sorted())
            #expect((only.json["session"] as? [String: Any])?["id"] as? String == session.id.description)
            #expect((only.json["memberships"] as? [[String: Any]])?.map { $0["tenant"] as? String } == ["acme"])

            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: person, as: .builtIn(.owner), owner: platform.globexID, at: Date()))
            let several = try await eventually("the server knows both memberships") { () async throws -> TestBrowser.Answer? in
                let answer = try await Self.get(session.secret, platform)
                return answer.json["tenant"] == nil ? answer : nil
            }
            #expect(several.json["scopes"] as? [String] == [] && (several.json["memberships"] as? [Any])?.count == 2)
            let chosen = try await Self.get(session.secret, tenant: "globex", platform)
            #expect(chosen.string("tenant") == "globex" && chosen.string("role") == "owner")
            #expect(try await Self.get(session.secret, tenant: "nobody", platform).json["tenant"] == nil)
        }
    }

    @Test("a person who is not a member of the tenant in the header has no scope there")
    func stranger() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let answer = try await Self.get(try await platform.startSession(person).secret, tenant: "globex", platform)
            #expect(answer.status == 200 && answer.json["tenant"] == nil && answer.json["role"] == nil)
            #expect(answer.json["scopes"] as? [String] == [] && answer.json["is_operator"] as? Bool == false)
        }
    }

    @Test("an operator sees the scopes that it has in the tenant of the header, and a member of it those of the role")
    func scopesOfOperator() async throws {
        try await TestPlatform.run { platform in
            let (person, secret) = try await platform.addOperator()
            func scopes(_ tenant: String?) async throws -> Set<String> {
                Set(try await Self.get(secret, tenant: tenant, platform).json["scopes"] as? [String] ?? [])
            }
            let (all, without) = (Set(APIKey.Scope.allCases.map(\.rawValue)), Set(SupportAccess.scopesWithout.map(\.rawValue)))
            #expect(try await scopes(nil) == all)
            let before = try await Self.get(secret, tenant: "acme", platform)
            #expect(before.string("tenant") == "acme" && before.string("tenant_id") == platform.acme.id)
            #expect(before.string("role") == "operator" && before.json["is_operator"] as? Bool == true)
            #expect(try await scopes("acme") == without && without.count < all.count)

            let id = try #require(try await platform.startSupport(secret).string("id"))
            #expect(try await scopes("acme") == Set(SupportAccess.scopes.map(\.rawValue)))
            #expect(try await scopes(platform.acme.id) == Set(SupportAccess.scopes.map(\.rawValue)))
            #expect(try await scopes("globex") == without)
            #expect(try await scopes(nil) == all)
            let ended = try await platform.call("POST", "/tenants/acme/support-accesses/\(id)/end", key: platform.acmeKey)
            #expect(ended.status == 200)
            #expect(try await scopes("acme") == without)
            #expect(try await platform.startSupport(secret).status == 201)
            try await platform.ageSupport(by: 61)
            #expect(try await scopes("acme") == without)

            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: person, as: .builtIn(.viewer), owner: platform.globexID, at: Date()))
            let member = try await eventually("the server knows the membership") { () async throws -> TestBrowser.Answer? in
                let answer = try await Self.get(secret, tenant: "globex", platform)
                return answer.json["is_operator"] as? Bool == false ? answer : nil
            }
            #expect(member.json["scopes"] as? [String] == BuiltInRole.viewer.scopes.map(\.rawValue).sorted())
            #expect(member.string("tenant") == "globex" && member.string("role") == "viewer")
        }
    }

    @Test("an operator sees its running support access of the tenant in the header")
    func support() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let none = try await Self.get(secret, tenant: "acme", platform)
            #expect(none.status == 200 && none.json["support_access"] == nil && none.json["is_operator"] as? Bool == true)
            _ = try await platform.startSupport(secret)
            let started = try #require(try await platform.call("GET", "/tenants/acme/support-accesses", key: secret).elements.first)
            let shown = try await Self.get(secret, tenant: "acme", platform).json["support_access"] as? [String: Any]
            #expect(shown?["id"] as? String == started["id"] as? String && shown?["ends_at"] as? String == started["ends_at"] as? String)
            for other in ["globex", nil] {
                #expect(try await Self.get(secret, tenant: other, platform).json["support_access"] == nil)
            }
            try await platform.ageSupport(by: 61)
            #expect(try await Self.get(secret, tenant: "acme", platform).json["support_access"] == nil)
        }
    }

    @Test("without a valid caller, the response is 401")
    func nobody() async throws {
        try await TestPlatform.run { platform in
            let answer = try await Self.get("x", platform)
            #expect(answer.status == 401)
        }
    }
}
