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
