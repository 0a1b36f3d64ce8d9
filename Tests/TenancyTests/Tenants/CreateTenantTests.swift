import Foundation
import Server
import TestSupport
import Testing

@Suite("Create tenant")
struct CreateTenantTests {
    @Test("the reply is complete, the tenant is found at its Location, usable at once, and in its own audit trail")
    func created() async throws {
        try await TestPlatform.run { platform in
            // The slug was looked up before, and must not be remembered as missing.
            let issuer = "\(TestPlatform.publicURL)/t/initech"
            #expect(try await TestBrowser(platform).get("\(issuer)/.well-known/openid-configuration").status == 404)

            let answer = try await platform.call("POST", "/tenants", ["slug": "initech", "name": "Initech GmbH & Söhne", "plan": "scale"])
            #expect(answer.status == 201)
            #expect(
                Set(answer.json.keys) == [
                    "id", "object", "slug", "name", "plan", "status", "issuer", "profile_retention_days", "signing_key_days",
                    "single_sign_on", "browser_session_seconds", "browser_idle_seconds", "sign_in_page", "account_linking",
                    "allows_support", "created_at", "updated_at",
                ])
            #expect(answer.json["object"] as? String == "tenant")
            #expect(answer.json["slug"] as? String == "initech")
            #expect(answer.json["name"] as? String == "Initech GmbH & Söhne")
            #expect(answer.json["plan"] as? String == "scale")
            #expect(answer.json["status"] as? String == "active")
            #expect(answer.json["issuer"] as? String == issuer)
            let id = try #require(answer.json["id"] as? String)
            #expect(answer.header("Location") == "/v1/tenants/\(id)")

            try await eventually("the tenant is known") {
                try await TestBrowser(platform).get("\(issuer)/.well-known/openid-configuration").status == 200
            }
            let found = try await platform.call("GET", "/tenants/\(id)")
            #expect(found.json as NSDictionary == answer.json as NSDictionary)
            #expect(found.header("ETag") == answer.header("ETag"))

            let events = try await platform.trail(of: "initech", action: "createTenant")
            #expect(events.count == 1)
            #expect(events.first?["actor"] as? String == platform.seeded.api_keys[0].id)
            #expect(events.first?["subject"] as? String == id)
            #expect((events.first?["after"] as? [String: any Sendable])?["plan"] as? String == "scale")
            #expect(events.first?["before"] == nil)
            #expect(events.first?["address"] as? String == "127.0.0.1")
            #expect(events.first?["request_id"] as? String == answer.header("Request-Id"))
        }
    }

    @Test("the default plan is free")
    func free() async throws {
        try await TestPlatform.run { platform in
            let bodies: [[String: any Sendable]] = [["slug": "a", "name": "A"], ["slug": "b-1", "name": "B", "plan": NSNull()]]
            for body in bodies {
                let answer = try await platform.call("POST", "/tenants", body)
                #expect(answer.status == 201, "\(answer.body)")
                #expect(answer.json["plan"] as? String == "free")
            }
        }
    }

    @Test("invalid members are all refused with their names")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let bodies: [([String: any Sendable], [String])] = [
                ([:], ["slug", "name"]), (["slug": "Acme", "name": ""], ["slug", "name"]), (["slug": "-a", "name": "A"], ["slug"]),
                (["slug": "a-", "name": "A"], ["slug"]), (["slug": "a_b", "name": "A"], ["slug"]), (["slug": "", "name": "A"], ["slug"]),
                (["slug": String(repeating: "a", count: 64), "name": "A"], ["slug"]),
                (["slug": "a", "name": String(repeating: "ä", count: 201)], ["name"]), (["slug": "a", "name": "A\nB"], ["name"]),
                (["slug": "a", "name": 7], ["name"]), (["slug": "a", "name": "A", "plan": "gold"], ["plan"]),
                (["slug": "a", "name": "A", "status": "active"], ["status"]),
            ]
            for (body, fields) in bodies {
                let answer = try await platform.call("POST", "/tenants", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.json["code"] as? String == "invalid")
                #expect((answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } == fields, "\(body)")
            }
        }
    }

    @Test("a slug belongs to one tenant, even with two concurrent requests")
    func taken() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("POST", "/tenants", ["slug": "acme", "name": "Other"])
            #expect(answer.status == 409)
            #expect(answer.json["code"] as? String == "already_exists")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask { try await platform.call("POST", "/tenants", ["slug": "initech", "name": "\(number)"]).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 409, 409, 409, 409, 409])
            #expect(try await platform.trail(of: "initech", action: "createTenant").count == 1)
        }
    }

    @Test("a tenant's key and an operator's key without the scope are refused")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let body: [String: any Sendable] = ["slug": "initech", "name": "Initech"]
            let tenant = try await platform.call("POST", "/tenants", key: platform.acme.api_keys[0].secret, body)
            #expect((tenant.status, tenant.json["code"] as? String) == (403, "operator_required"))
            try await platform.limitOperator(to: ["tenants:read"])
            try await eventually("the change of scopes is in effect") {
                let answer = try await platform.call("POST", "/tenants", ["slug": "acme", "name": "Acme"])
                return answer.status == 403 && answer.json["code"] as? String == "insufficient_scope"
            }
        }
    }
}
