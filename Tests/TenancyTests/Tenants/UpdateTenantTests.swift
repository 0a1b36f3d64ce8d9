import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Update tenant")
struct UpdateTenantTests {
    @Test("its own key changes its name and nothing else")
    func name() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let before = try await platform.call("GET", "/tenants/acme", key: key)
            let answer = try await platform.call("PATCH", "/tenants/acme", key: key, ["name": "Acme & Co."])
            #expect(answer.status == 200)
            #expect(answer.json["name"] as? String == "Acme & Co.")
            #expect(answer.json["plan"] as? String == "enterprise")
            #expect(answer.header("ETag") != before.header("ETag"))
            let now = try await platform.call("GET", "/tenants/acme", key: key)
            #expect(now.json as NSDictionary == answer.json as NSDictionary)
            #expect(now.header("ETag") == answer.header("ETag"))

            let events = try await platform.trail(of: "acme", action: "updateTenant")
            #expect(events.count == 1)
            #expect(events.first?["actor"] as? String == platform.acme.api_keys[0].id)
            #expect((events.first?["before"] as? [String: any Sendable])?["name"] as? String == "Acme")
            #expect((events.first?["after"] as? [String: any Sendable])?["name"] as? String == "Acme & Co.")

            let plan = try await platform.call("PATCH", "/tenants/globex", key: platform.globex.api_keys[0].secret, ["plan": "enterprise"])
            #expect((plan.status, plan.json["code"] as? String) == (403, "operator_required"))
            #expect(try await platform.call("GET", "/tenants/globex").json["plan"] as? String == "free")
        }
    }

    @Test("a plan without own credentials leaves the existing connection in use")
    func downgrade() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("PATCH", "/tenants/acme", ["plan": "scale"])
            #expect(answer.status == 200)
            #expect(answer.json["plan"] as? String == "scale")
            #expect((answer.json["connection_id"] as? String)?.hasPrefix("connection_") == true)
            #expect(try await TestBrowser(platform).tokens(.init(platform.acme))["access_token"] != nil)
            let reported = try await platform.ownerPool.run("SELECT connection FROM usage_arrival").map {
                try $0.get("connection", as: String.self)
            }
            #expect(reported == ["own"])
        }
    }

    @Test("a request without an effective change leaves no audit event")
    func nothing() async throws {
        try await TestPlatform.run { platform in
            let before = try await platform.call("GET", "/tenants/acme")
            let answer = try await platform.call("PATCH", "/tenants/acme", [:])
            #expect(answer.status == 200)
            #expect(answer.header("ETag") == before.header("ETag"))
            #expect(try await platform.trail(of: "acme", action: "updateTenant").isEmpty)
        }
    }

    @Test("invalid members are refused with their names")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let bodies: [([String: any Sendable], [String])] = [
                (["slug": "other"], ["slug"]), (["status": "suspended"], ["status"]), (["name": ""], ["name"]),
                (["name": NSNull()], ["name"]), (["plan": "gold"], ["plan"]), (["name": 1, "plan": 2], ["name", "plan"]),
            ]
            for (body, fields) in bodies {
                let answer = try await platform.call("PATCH", "/tenants/acme", body)
                #expect(answer.status == 400, "\(body)")
                #expect((answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } == fields, "\(body)")
            }
        }
    }

    @Test("one of many concurrent changes of the same version succeeds")
    func lostUpdate() async throws {
        try await TestPlatform.run { platform in
            let tag = try #require(try await platform.call("GET", "/tenants/acme").header("ETag"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await platform.call("PATCH", "/tenants/acme", ["name": "\(number)"], headers: [("If-Match", tag)]).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 412, 412, 412, 412, 412])
            #expect(try await platform.trail(of: "acme", action: "updateTenant").count == 1)
        }
    }

    @Test("another tenant's key, a key without the scope and a deleted tenant are refused")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            func change(_ key: String?) async throws -> TestBrowser.Answer {
                try await platform.call("PATCH", "/tenants/acme", key: key, ["name": "X"])
            }
            #expect(try await change(platform.globex.api_keys[0].secret).status == 404)
            let unscoped = try await change(platform.acme.api_keys[1].secret)
            #expect((unscoped.status, unscoped.json["code"] as? String) == (403, "insufficient_scope"))
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            let deleted = try await change(nil)
            #expect((deleted.status, deleted.json["code"] as? String) == (409, "conflict"))
            #expect(try await platform.call("GET", "/tenants/acme").json["name"] as? String == "Acme")
        }
    }

    @Test("its own key changes its settings, null restores a default, and a value out of range is refused without a change")
    func settings() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let answer = try await platform.call(
                "PATCH", "/tenants/acme", key: key,
                ["session_seconds": 3600, "idle_seconds": 600, "profile_retention_days": 0, "signing_key_days": 7])
            #expect(answer.status == 200)
            let set = ["session_seconds": 3600, "idle_seconds": 600, "profile_retention_days": 0, "signing_key_days": 7]
            for (name, value) in set { #expect(answer.json[name] as? Int == value, "\(name)") }
            for body: [String: any Sendable] in [
                ["session_seconds": 299], ["idle_seconds": 31_536_001], ["profile_retention_days": -1], ["signing_key_days": 0],
                ["session_seconds": 600, "signing_key_days": "7"], ["single_sign_on": 1], ["browser_session_seconds": 299],
                ["browser_idle_seconds": 31_536_001], ["sign_in_page": "sometimes"],
                ["account_linking": "always"], ["account_linking": true], ["allows_support": "no"],
            ] {
                #expect(try await platform.call("PATCH", "/tenants/acme", key: key, body).status == 400, "\(body)")
            }
            let now = try await platform.call("GET", "/tenants/acme", key: key)
            #expect(now.json as NSDictionary == answer.json as NSDictionary)
            let audited = try await platform.trail(of: "acme", action: "updateTenant")
            #expect((audited.first?["after"] as? [String: any Sendable])?["signing_key_days"] as? Int == 7)

            let reset = try await platform.call(
                "PATCH", "/tenants/acme", key: key,
                ["session_seconds": NSNull(), "profile_retention_days": NSNull(), "signing_key_days": NSNull()])
            #expect(reset.json["session_seconds"] == nil)
            #expect(reset.json["idle_seconds"] as? Int == 600)
            #expect(reset.json["profile_retention_days"] as? Int == 30)
            #expect(reset.json["signing_key_days"] as? Int == 90)
        }
    }

    @Test("users see no sign-in page by default, its own key changes that, and null restores the default")
    func signInPage() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            for (body, use) in [
                (["name": "Acme"], "never"), (["sign_in_page": "on_request"], "on_request"), (["sign_in_page": "always"], "always"),
                (["sign_in_page": NSNull()], "never"),
            ] as [([String: any Sendable], String)] {
                let answer = try await platform.call("PATCH", "/tenants/acme", key: key, body)
                #expect(answer.json["sign_in_page"] as? String == use)
            }
        }
    }

    @Test("a new tenant asks about users with the same address, its own key changes that, and null restores the default")
    func accountLinking() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            for (body, linking) in [
                (["name": "Acme"], "ask"), (["account_linking": "off"], "off"), (["name": "Acme 2"], "off"),
                (["account_linking": NSNull()], "ask"),
            ] as [([String: any Sendable], String)] {
                let answer = try await platform.call("PATCH", "/tenants/acme", key: key, body)
                #expect(answer.json["account_linking"] as? String == linking)
            }
        }
    }

    @Test("single sign-on is off by default, its own key turns it on with its limits, and null restores the defaults")
    func singleSignOn() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            func settings(_ body: [String: any Sendable]) async throws -> [String] {
                let answer = try await platform.call("PATCH", "/tenants/acme", key: key, body)
                return ["single_sign_on", "browser_session_seconds", "browser_idle_seconds"].map { "\(answer.json[$0] ?? "none")" }
            }
            let defaults = try await settings(["name": "Acme"])
            #expect(defaults == ["\(false as NSNumber)", "2592000", "86400"] || defaults == ["false", "2592000", "86400"])
            let set = try await settings(["single_sign_on": true, "browser_session_seconds": 3600, "browser_idle_seconds": 600])
            #expect(set[1...] == ["3600", "600"] && set[0] != defaults[0])
            let null = NSNull()
            let reset = try await settings(["single_sign_on": null, "browser_session_seconds": null, "browser_idle_seconds": null])
            #expect(reset == defaults)
        }
    }
}
