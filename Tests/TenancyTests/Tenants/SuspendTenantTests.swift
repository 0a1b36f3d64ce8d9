import Server
import TestSupport
import Testing

@Suite("Suspend tenant")
struct SuspendTenantTests {
    @Test("sign-ins stop, its API keys still work, and its trail has the event")
    func suspended() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let answer = try await platform.call("POST", "/tenants/acme/suspend")
            #expect(answer.status == 200)
            #expect(answer.json["status"] as? String == "suspended")
            #expect(answer.header("ETag") != nil)
            try await eventually("the suspension is in effect") { try await browser.authorize(request).status == 404 }
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 404)
            let own = try await platform.call("GET", "/tenants/acme", key: platform.acme.api_keys[0].secret)
            #expect((own.status, own.json["status"] as? String) == (200, "suspended"))
            let events = try await platform.trail(of: "acme", action: "suspendTenant")
            #expect(events.count == 1)
            #expect((events.first?["before"] as? [String: any Sendable])?["status"] as? String == "active")
            #expect((events.first?["after"] as? [String: any Sendable])?["status"] as? String == "suspended")
        }
    }

    @Test("a second suspension is refused, and one of many concurrent ones succeeds")
    func again() async throws {
        try await TestPlatform.run { platform in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 { group.addTask { try await platform.call("POST", "/tenants/acme/suspend").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 409, 409, 409, 409])
            let answer = try await platform.call("POST", "/tenants/acme/suspend")
            #expect((answer.status, answer.json["code"] as? String) == (409, "conflict"))
        }
    }

    @Test("only an operator can do it, and another tenant learns nothing", arguments: ["suspend", "resume", "restore"])
    func strangers(action: String) async throws {
        try await TestPlatform.run { platform in
            for (key, code) in [
                (platform.acme.api_keys[0], "operator_required"), (platform.acme.api_keys[1], "insufficient_scope"),
                (platform.globex.api_keys[0], "not_found"),
            ] {
                let answer = try await platform.call("POST", "/tenants/acme/\(action)", key: key.secret)
                #expect(answer.json["code"] as? String == code)
            }
            #expect(try await platform.call("POST", "/tenants/initech/\(action)").status == 404)
        }
    }
}
