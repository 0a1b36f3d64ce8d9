import Access
@testable import Encoding
import Foundation
import Postgres
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Revoke session")
struct RevokeSessionTests {
    @Test("only this session ends, at once; webhooks and the audit trail receive it once")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (login, other) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper"))
            let path = "/tenants/acme/sessions/\(login.session)/revoke"
            for _ in 0..<2 {
                let answer = try await platform.call("POST", path, key: platform.acme.api_keys[0].secret)
                #expect(answer.status == 200)
                #expect(answer.string("status") == "ended")
                #expect(answer.string("ended_reason") == "revoked")
                let shown = try await platform.call("GET", "/tenants/acme/sessions/\(login.session)")
                #expect(shown.json.compactMapValues { $0 as? String } == answer.json.compactMapValues { $0 as? String })
                #expect(shown.header("ETag") == answer.header("ETag"))
            }
            #expect(try await login.isOver())
            #expect(try await other.lasts())
            let events = try await platform.events("session.revoked")
            #expect(events.count == 1)
            #expect(events.first?["session_ids"] as? [String] == [login.session])
            #expect(events.first?["user_id"] as? String == login.user)
            #expect(events.first?["reason"] as? String == "revoked")
            #expect(events.first?["revoked"] as? Int == 1)
            let audited = try await platform.audited("revokeSession")
            #expect(audited.count == 1)
            #expect(audited.first?.subject == login.session)
            #expect(audited.first?.actor == platform.acme.api_keys[0].id)
            #expect(audited.first?.before["status"] as? String == "active")
            #expect(audited.first?.after["status"] as? String == "ended")
            // The address is shown while the session exists, and is not stored in the audit trail.
            #expect(try await platform.call("GET", "/tenants/acme/sessions/\(login.session)").string("address") != nil)
            #expect(audited.first?.before["address"] == nil && audited.first?.after["address"] == nil)
        }
    }

    @Test("while a webhook is changed, a revocation or deletion waits, without a deadlock", arguments: 0..<3)
    func webhookChanging(action: Int) async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login()
            let revoking = try await platform.ownerPool.transaction { db in
                // Each change of a webhook locks first the webhook, then the audit trail.
                _ = try await db.run("SELECT FROM webhook_endpoint FOR UPDATE")
                let revoking = Task {
                    switch action {
                    case 0: try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke").status
                    case 1: try await platform.call("POST", "/tenants/acme/users/\(login.user)/sessions/revoke").status
                    default: try await platform.call("DELETE", "/tenants/acme/users/\(login.user)").status
                    }
                }
                try await platform.waitForLock("it waits for the change")
                let acme = try #require(ID<Tenant>(platform.acme.id))
                _ = try await db.run(AuditEvent.insert("updateWebhook", of: "x", owner: acme.uuid, by: .system, at: Date()))
                return revoking
            }
            #expect([200, 204].contains(try await revoking.value))
            #expect(try await login.isOver())
            #expect(try await platform.events("session.revoked").count == 1)
        }
    }

    @Test("a session that has expired does not change")
    func expired() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = now() - interval '31 days'")
            let answer = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke")
            #expect(answer.status == 200)
            #expect(answer.string("status") == "expired")
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.audited("revokeSession").isEmpty)
        }
    }

    @Test("a session that expired within the last day is ended in each way, because its last access tokens are valid", arguments: 0..<3)
    func lately(way: Int) async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            _ = try await platform.ownerPool.run("UPDATE session SET expires_at = now()")
            let path = ["sessions/\(login.session)/revoke", "users/\(login.user)/sessions/revoke", "sessions/revoke?confirm=acme"][way]
            #expect(try await platform.call("POST", "/tenants/acme/\(path)").status == 200)
            #expect(try await platform.count("session", where: "ended_reason = 'revoked'") == 1)
            // The entry for resource servers.
            #expect(try await platform.count("revocation", where: "session_id IS NOT NULL") == 1)
        }
    }

    @Test("a session that is refreshed during its revocation ends")
    func racing() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<5 {
                let login = try await platform.login("Grace Hopper")
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask {
                        let answer = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke")
                        #expect(answer.string("status") == "ended")
                    }
                    tasks.addTask { _ = try await login.browser.refresh(login.refresh, login.request) }
                    try await tasks.waitForAll()
                }
                #expect(try await login.isOver())
            }
        }
    }

    @Test("an unauthenticated caller, a key without the scope and an outdated version are refused, and the session stays active")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (login, foreign) = (try await platform.login(), try await platform.login("new", platform.globex))
            let path = "/tenants/acme/sessions/\(login.session)"
            #expect(try await platform.call("POST", path + "/revoke", key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(
                try await platform.call("POST", path + "/revoke", key: platform.acme.api_keys[1].secret)
                    .isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("POST", "/tenants/acme/sessions/\(foreign.session)/revoke").isProblem(404, "not_found"))
            let tag = try #require(try await platform.call("GET", path).header("ETag"))
            #expect(
                try await platform.call("POST", path + "/revoke", headers: [("If-Match", "\"x\"")]).isProblem(412, "precondition_failed"))
            #expect(try await login.lasts())
            #expect(try await foreign.lasts())
            #expect(try await platform.call("POST", path + "/revoke", headers: [("If-Match", tag)]).status == 200)
        }
    }

    @Test("webhooks receive a session that ended after a misuse once")
    func misuse() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            for _ in 0..<3 { _ = try await browser.redeem(code, request) }
            let login = try await platform.login()
            _ = try await browser.refresh(login.refresh, login.request)
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
            for _ in 0..<2 { _ = try await browser.refresh(login.refresh, login.request) }
            let events = try await platform.events("session.revoked")
            #expect(events.map { $0["reason"] as? String } == ["code_replayed", "refresh_token_reused"])
            #expect(events.last?["session_ids"] as? [String] == [login.session])
            #expect(events.last?["user_id"] as? String == login.user)
            #expect(events.last?["revoked"] as? Int == 1)
        }
    }
}
