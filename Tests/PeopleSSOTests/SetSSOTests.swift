import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Set SSO")
struct SetSSOTests {
    @Test("the provider is shown without its secret, changed and deleted, and the audit trail has each change")
    func sets() async throws {
        try await SSOPlatform.run { sso in
            #expect(try await sso.platform.call("GET", "/tenants/acme/sso").isProblem(404, "not_found"))
            let set = try await sso.set("https://login.customer.test")
            #expect(set.status == 200 && set.string("issuer") == "https://login.customer.test", "\(set.body)")
            #expect(set.string("redirect_uri") == "\(TestPlatform.publicURL)/account/sso/callback")
            #expect(!set.body.contains(FakeProvider.secret) && set.json["is_required"] as? Bool == false)
            #expect(try await sso.platform.call("GET", "/tenants/acme/sso").string("id") == set.string("id"))
            // The same again changes nothing, and needs no secret.
            #expect(try await sso.set("https://login.customer.test", secret: nil).status == 200)
            #expect(try await sso.set("https://id.customer.test").string("id") == set.string("id"))
            let id = try #require(set.string("id"))
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/sso").status == 204)
            let trail = try await sso.platform.audit(id)
            #expect(Set(trail.map(\.action)) == ["setSSO", "deleteSSO"] && trail.count == 3)
            #expect(trail.allSatisfy { !("\($0)".contains(FakeProvider.secret)) })
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/sso").isProblem(404, "not_found"))
        }
    }

    @Test("the stored secret goes to no other issuer and no other client")
    func secret() async throws {
        try await SSOPlatform.run { sso in
            let first = try await sso.set("https://a.test", secret: nil)
            #expect(first.status == 400)
            let complete = try await sso.set("https://a.test")
            #expect(complete.status == 200)
            let otherIssuer = try await sso.set("https://b.test", secret: nil)
            #expect(otherIssuer.isProblem(400, "invalid"))
            let otherClient = try await sso.set("https://a.test", client: "other", secret: nil)
            #expect(otherClient.isProblem(400, "invalid"))
        }
    }

    @Test("a provider is required only after a sign-in with it, and a change starts again")
    func required() async throws {
        try await SSOPlatform.run { sso in
            #expect(try await sso.set("https://a.test", ["is_required": true]).isProblem(409, "conflict"))
            _ = try await sso.set("https://a.test")
            #expect(try await sso.set("https://a.test", ["is_required": true]).isProblem(409, "conflict"))
            try await sso.noteSignIn()
            #expect(try await sso.set("https://a.test", secret: nil, ["is_required": true]).json["is_required"] as? Bool == true)
            #expect(try await sso.set("https://b.test", ["is_required": true]).isProblem(409, "conflict"))
            let changed = try await sso.set("https://b.test")
            #expect(changed.json["is_required"] as? Bool == false && changed.json["signed_in_at"] == nil)
        }
    }

    @Test("after a change to a lower plan, the requirement can end, and nothing else of the provider changes")
    func lowerPlan() async throws {
        try await SSOPlatform.run { sso in
            _ = try await sso.set("https://a.test")
            try await sso.noteSignIn()
            #expect(try await sso.set("https://a.test", secret: nil, ["is_required": true]).json["is_required"] as? Bool == true)
            _ = try await sso.platform.ownerPool.run("UPDATE tenant SET plan = 'scale' WHERE slug = 'acme'")
            #expect(try await sso.set("https://a.test").isProblem(403, "plan_required"))
            #expect(try await sso.set("https://a.test", client: "other", secret: nil).isProblem(403, "plan_required"))
            let ended = try await sso.set("https://a.test", secret: nil, ["is_required": false])
            #expect(ended.status == 200 && ended.json["is_required"] as? Bool == false, "\(ended.body)")
            #expect(try await sso.set("https://a.test", secret: nil, ["is_required": true]).isProblem(403, "plan_required"))
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/sso").status == 204)
        }
    }

    @Test("invalid values, an old version and another plan are refused")
    func refuses() async throws {
        try await SSOPlatform.run({ $0.allowsPrivateWebhooks = false }) { sso in
            for issuer in [
                "http://login.customer.test", "https://login.customer.test?x=1", "https://login.customer.test#x", "https://127.0.0.1",
                "https://localhost", "https://user@login.customer.test", "https://login.customer.test/\u{301}",
                "https://login.customer.test\u{200D}", "ftp://login.customer.test", "login.customer.test",
            ] {
                let refused = try await sso.set(issuer)
                #expect(refused.status == 400 && refused.body.contains("issuer"), "\(issuer): \(refused.body)")
            }
            #expect(try await sso.set("https://a.test", client: "a\u{600}").status == 400)
            #expect(try await sso.set("https://a.test", ["is_required": NSNull()]).status == 400)
            #expect(try await sso.set("https://a.test", ["scope": "openid"]).status == 400)
            _ = try await sso.set("https://a.test")
            let stale = try await sso.platform.call(
                "PUT", "/tenants/acme/sso", ["issuer": "https://b.test", "client_id": "x", "client_secret": "x"],
                headers: [("If-Match", "\"old\"")])
            #expect(stale.isProblem(412, "precondition_failed"))
            _ = try await sso.platform.ownerPool.run("UPDATE tenant SET plan = 'scale' WHERE slug = 'acme'")
            #expect(try await sso.set("https://b.test").isProblem(403, "plan_required"))
        }
    }
}
