import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Get session")
struct GetSessionTests {
    @Test("it returns a session while it is active and after it has ended")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let path = "/tenants/acme/sessions/\(login.session)"
            let active = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(active.status == 200)
            #expect(active.string("status") == "active")
            #expect(
                Set(active.json.keys) == [
                    "id", "object", "user_id", "application_id", "scope", "status", "created_at", "last_used_at", "expires_at",
                    "updated_at", "address",
                ])
            #expect(active.string("user_id") == login.user)
            let tag = active.header("ETag")
            #expect(tag != nil)
            _ = try await login.browser.refresh(login.refresh, login.request)
            #expect(try await platform.call("GET", path).header("ETag") != tag)
            _ = try await platform.ownerPool.run("UPDATE session SET ended_at = now(), ended_reason = 'refresh_token_reused'")
            let ended = try await platform.call("GET", path)
            #expect(ended.string("status") == "ended")
            #expect(ended.string("ended_reason") == "refresh_token_reused")
            #expect(ended.string("ended_at") == ended.string("updated_at"))
        }
    }

    @Test("an unknown, a mistyped and another tenant's session get the same response")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (acme, globex) = (try await platform.login(), try await platform.login("new", platform.globex))
            for id in [globex.session, ID<Session>(at: Date()).description, "session_x", acme.user] {
                #expect(try await platform.call("GET", "/tenants/acme/sessions/\(id)").isProblem(404, "not_found"))
            }
            let path = "/tenants/acme/sessions/\(acme.session)"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }

    @Test("an end reason of a newer version is returned unchanged")
    func newerReason() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            // A newer version's migration allows this reason while this version still runs.
            _ = try await platform.ownerPool.run([
                "ALTER DOMAIN session_end_reason DROP CONSTRAINT session_ended_reason_check",
                "UPDATE session SET ended_at = now(), ended_reason = 'of_tomorrow'",
            ])
            let shown = try await platform.call("GET", "/tenants/acme/sessions/\(login.session)")
            #expect(shown.status == 200)
            #expect(shown.string("ended_reason") == "of_tomorrow")
            let listed = try await platform.call("GET", "/tenants/acme/sessions")
            #expect(listed.data.map { $0["ended_reason"] as? String } == ["of_tomorrow"])
        }
    }
}
