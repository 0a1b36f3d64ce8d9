import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("List sessions")
struct ListSessionsTests {
    private static func list(_ platform: TestPlatform, _ parameters: [(String, String)] = [], key: String? = nil) async throws
        -> TestBrowser.Answer
    {
        try await platform.call("GET", TestBrowser.Request.url("/tenants/acme/sessions", parameters), key: key)
    }

    @Test("it lists all sessions, or those of a user, an application or a state, and any combination")
    func filters() async throws {
        try await TestPlatform.run { platform in
            let (grace, alan) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            let (graceToo, expired) = (try await platform.login("Grace Hopper", application: 1), try await platform.login("Alan Turing"))
            let idle = try await platform.login("Alan Turing")
            _ = try await platform.login("Grace Hopper", platform.globex)
            _ = try await platform.ownerPool.run([
                "UPDATE session SET ended_at = now(), ended_reason = 'code_replayed' WHERE id = \(ID<Session>(grace.session))",
                "UPDATE session SET expires_at = now() WHERE id = \(ID<Session>(expired.session))",
                "UPDATE session SET refreshed_at = now() - interval '31 days' WHERE id = \(ID<Session>(idle.session))",
            ])
            func found(_ parameters: (String, String)...) async throws -> [String] { try await Self.list(platform, parameters).ids }
            let all = [idle, expired, graceToo, alan, grace].map(\.session)
            #expect(try await found() == all)
            #expect(try await found(("user", grace.user)) == [graceToo.session, grace.session])
            #expect(try await found(("application", graceToo.request.application.client_id)) == [graceToo.session])
            #expect(try await found(("status", "active")) == [graceToo.session, alan.session])
            #expect(try await found(("status", "ended")) == [grace.session])
            #expect(try await found(("status", "expired")) == [idle.session, expired.session])
            #expect(try await found(("user", grace.user), ("status", "ended")) == [grace.session])
            #expect(
                try await found(
                    ("user", grace.user), ("application", grace.request.application.client_id), ("status", "active")) == [])
            #expect(try await found(("user", ID<User>(at: Date()).description)) == [])

            var (seen, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await Self.list(platform, [("limit", "2")] + (after.map { [("after", $0)] } ?? []))
                seen += page.ids
                after = page.cursor("after")
            } while after != nil && seen.count <= all.count
            #expect(seen == all)
        }
    }

    @Test("an invalid parameter is refused by its name; an unauthenticated caller sees nothing")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for bad in [
                ("user", "x"), ("user", "app_01jd8x3v6qf9wr2m5tzk7h4c0n"), ("application", "x"), ("status", "open"), ("limit", "x"),
                ("sort", "x"),
            ] {
                let answer = try await Self.list(platform, [bad])
                #expect(answer.isProblem(400, "invalid"), "\(bad)")
            }
            #expect(try await Self.list(platform, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await Self.list(platform, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }
}

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
                "ALTER TABLE session DROP CONSTRAINT session_ended_reason_check",
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
