import Foundation
import Server
import TestSupport
import Testing

@Suite("Delete tenant")
struct DeleteTenantTests {
    @Test("sign-ins stop, its own keys find nothing, and operators still see it for 30 days")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let answer = try await platform.call("DELETE", "/tenants/acme?confirm=acme")
            #expect(answer.status == 200)
            #expect(answer.json["status"] as? String == "deleted")
            let end = try Date(try #require(answer.json["purge_after"] as? String), strategy: .iso8601)
            #expect(abs(end.timeIntervalSinceNow - 30 * 86400) < 300)

            try await eventually("the deletion is in effect") { try await browser.authorize(request).status == 404 }
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 404)
            #expect(try await browser.get("\(platform.acme.issuer)/oauth2/jwks").status == 404)
            for path in ["", "/usage", "/audit-events"] {
                let own = try await platform.call("GET", "/tenants/acme\(path)", key: platform.acme.api_keys[0].secret)
                #expect((own.status, own.json["code"] as? String) == (404, "not_found"))
            }
            #expect(try await platform.call("GET", "/tenants/acme").json as NSDictionary == answer.json as NSDictionary)
            #expect(try await platform.call("GET", "/tenants/\(platform.acme.id)/usage").json["logins"] as? Int == 1)
            let events = try await platform.trail(of: "acme", action: "deleteTenant")
            #expect(events.count == 1)
            #expect((events.first?["after"] as? [String: any Sendable])?["purge_after"] as? String == answer.json["purge_after"] as? String)
            // Other tenants are unaffected.
            #expect(try await TestBrowser(platform).tokens(.init(platform.globex))["access_token"] != nil)
        }
    }

    @Test("a missing or different slug is refused with the name of the parameter")
    func confirm() async throws {
        try await TestPlatform.run { platform in
            for query in ["", "?confirm=", "?confirm=Acme", "?confirm=globex", "?confirm=\(platform.acme.id)"] {
                let answer = try await platform.call("DELETE", "/tenants/acme\(query)")
                #expect(answer.status == 400)
                #expect((answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } == ["confirm"])
            }
            // With an ID in the path, the slug still confirms the deletion.
            #expect(try await platform.call("DELETE", "/tenants/\(platform.globex.id)?confirm=globex").status == 200)
            #expect(try await platform.call("GET", "/tenants/acme").json["status"] as? String == "active")
        }
    }

    @Test("a second deletion and an outdated version are refused")
    func conflict() async throws {
        try await TestPlatform.run { platform in
            let stale = try await platform.call("DELETE", "/tenants/acme?confirm=acme", headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            for (method, path) in [("DELETE", "?confirm=acme"), ("POST", "/suspend"), ("POST", "/resume")] {
                let answer = try await platform.call(method, "/tenants/acme\(path)")
                #expect((answer.status, answer.json["code"] as? String) == (409, "conflict"))
            }
        }
    }

    @Test("only an operator can delete a tenant, and another tenant learns nothing")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            for (key, code) in [
                (platform.acme.api_keys[0], "operator_required"), (platform.acme.api_keys[1], "insufficient_scope"),
                (platform.globex.api_keys[0], "not_found"),
            ] {
                let answer = try await platform.call("DELETE", "/tenants/acme?confirm=acme", key: key.secret)
                #expect(answer.json["code"] as? String == code)
            }
        }
    }
}
