import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Delete user")
struct DeleteUserTests {
    @Test("only usage remains; tokens and codes stop working; a later sign-in is a new user")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (login, other) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            let pending = try await login.browser.code(login.request, person: "Grace Hopper")
            let subject = try await platform.ownerPool.run("SELECT apple_sub FROM identity WHERE user_id = \(ID<User>(login.user))")
                .first { try $0.get("apple_sub", as: String.self) }!
            let answer = try await platform.call("DELETE", "/tenants/acme/users/\(login.user)", key: platform.acme.api_keys[0].secret)
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)

            #expect(try await login.isOver())
            #expect(try await login.browser.redeem(pending, login.request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.call("GET", "/tenants/acme/users/\(login.user)").status == 404)
            #expect(try await platform.call("GET", "/tenants/acme/sessions/\(login.session)").status == 404)
            #expect(try await other.lasts())
            #expect(try await platform.countBilled(where: "user_id = '\(ID<User>(login.user)!.uuid)'") == 1)

            // No table contains a trace of the user.
            let tables = try await platform.ownerPool.run(
                "SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            ).map { try $0.get("name", as: String.self) }
            #expect(tables.count > 10)
            for table in tables {
                for trace in ["grace", "hopper", subject] {
                    let found = try await platform.count("\(table) AS t", where: "t::text ILIKE '%\(trace)%'")
                    #expect(found == 0, "\(trace) in \(table)")
                }
            }

            let audited = try #require(try await platform.audited("deleteUser").first)
            #expect(audited.subject == login.user)
            #expect(audited.actor == platform.acme.api_keys[0].id)
            #expect(audited.before["sessions"] as? Int == 1)
            #expect(audited.before["team_ids"] as? [String] == [platform.own.team])
            #expect(try await platform.events("user.deleted").map { $0["user_id"] as? String } == [login.user])
            let revoked = try #require(try await platform.events("session.revoked").first)
            #expect(revoked["reason"] as? String == "user_deleted")
            #expect(revoked["revoked"] as? Int == 1)

            let again = try await platform.login("Grace Hopper")
            #expect(again.user != login.user)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(login.user)").isProblem(404, "not_found"))
        }
    }

    @Test("an unauthenticated caller, a key without the scope and an outdated version are refused, and nothing happens")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (login, foreign) = (try await platform.login(), try await platform.login("new", platform.globex))
            let path = "/tenants/acme/users/\(login.user)"
            #expect(try await platform.call("DELETE", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("DELETE", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(foreign.user)").isProblem(404, "not_found"))
            let tag = try #require(try await platform.call("GET", path).header("ETag"))
            _ = try await platform.login("Alan Turing")
            #expect(
                try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")]).isProblem(412, "precondition_failed"))
            #expect(try await platform.count("tenant_user") == 3)
            #expect(try await platform.audited("deleteUser").isEmpty)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", tag)]).status == 204)
            #expect(try await foreign.lasts())
        }
    }

    @Test("a deletion during a sign-in leaves no user or a new one, without a deadlock")
    func racing() async throws {
        // Apple is notified later. If a consent ends during a sign-in, that sign-in must start again.
        try await withRestingOutbox { platform in
            for _ in 0..<6 {
                let login = try await platform.login("Grace Hopper")
                var ready: [(TestBrowser, TestBrowser.AppleForm)] = []
                for _ in 0..<3 {
                    let browser = TestBrowser(platform)
                    ready.append((browser, try await browser.atApple(try await browser.authorize(login.request), person: "Grace Hopper")))
                }
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask {
                        let answer = try await platform.call("DELETE", "/tenants/acme/users/\(login.user)")
                        #expect(answer.status == 204)
                    }
                    for (browser, form) in ready {
                        tasks.addTask {
                            let answer = try await browser.callback(form)
                            #expect(answer["code"] != nil)
                        }
                    }
                    try await tasks.waitForAll()
                }
                #expect(try await platform.count("tenant_user") <= 1)
                #expect(try await platform.count("identity") == (try await platform.count("tenant_user")))
                _ = try await platform.ownerPool.run("DELETE FROM tenant_user")
            }
        }
    }

    @Test("a user with a deleted Apple account can be deleted before the retention is over")
    func accountDeleted() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            _ = try await platform.ownerPool.run([
                "UPDATE identity SET revoked_at = 'infinity', sealed_refresh_token = NULL",
                "UPDATE tenant_user SET deleted_at = now(), erase_after = now() + interval '30 days'",
            ])
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(login.user)").status == 204)
            #expect(try await platform.fate(of: login) == ["not_needed consent_ended 0"])
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("an identity that is added concurrently is deleted and revoked as well")
    func relinking() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            let deleting = try await platform.ownerPool.transaction { db in
                // A first sign-in under another team that takes over the user.
                _ = try await db.run("SELECT FROM tenant_user FOR UPDATE")
                let deleting = Task { try await platform.call("DELETE", "/tenants/acme/users/\(login.user)").status }
                try await platform.waitForLock("it waits for the sign-in")
                _ = try await db.run(
                    """
                    INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                    SELECT tenant_id, 'Z9Y8X7W6V5', apple_sub, user_id, apple_client_id, now(), now() FROM identity
                    """)
                return deleting
            }
            #expect(try await deleting.value == 204)
            #expect(try await platform.fate(of: login).count == 2)
            #expect(try await platform.count("identity") == 0)
        }
    }
}
