import Access
@testable import BrowserSessions
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
import Users

@Suite("The sign-in of a browser")
struct BrowserSessionTests {
    // MARK: Start and rotation

    @Test("the same user continues the session with a new cookie, and another user replaces it")
    func startedAgain() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn("Ada Lovelace")
            let first = try #require(sso.cookie)
            _ = try await sso.signIn("Ada Lovelace", ["prompt": "login"])
            let second = try #require(sso.cookie)
            #expect(first != second)
            #expect(try await sso.rows().map(\.generation) == [2])
            // The first cookie is invalid at once. It ends nothing, because the response with the second one could be lost.
            #expect(try await sso.with(first).needsApple())
            #expect(try await sso.rows().map(\.reason) == [nil])
            let grace = try await sso.signIn("Grace Hopper", ["prompt": "select_account"])
            let rows = try await sso.rows()
            #expect(rows.map(\.reason) == ["replaced", nil])
            #expect(rows[1].generation == 0)
            #expect(try await sso.signInSilently().user == grace.user)
            #expect(try await sso.with(second).needsApple())
        }
    }

    @Test("a session never takes its ID from a cookie that the attacker planted")
    func fixation() async throws {
        try await SingleSignOn.run { sso in
            let attacker = sso.elsewhere
            _ = try await attacker.signIn("Grace Hopper")
            let planted = try #require(attacker.cookie)
            let victim = sso.with(planted)
            let ada = try await victim.signIn("Ada Lovelace", ["prompt": "login"])
            #expect(victim.cookie != planted)
            #expect(try await victim.signInSilently().user == ada.user)
            #expect(try await sso.with(planted).needsApple())
            #expect(Set(try await sso.rows().map(\.id)).count == 2)
        }
    }

    @Test("a cookie gets a successor after 10 minutes; until 30 s after its first use both work, and later the old one ends the sign-in")
    func rotation() async throws {
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            let old = try #require(sso.cookie)
            try await sso.change("rotated_at = rotated_at - interval '601 seconds'")
            let second = try await sso.signInSilently()
            let new = try #require(sso.cookie)
            #expect(old != new)
            // A parallel request has the old cookie, and gets the same successor.
            let parallel = sso.with(old)
            _ = try await parallel.signInSilently()
            #expect(parallel.cookie == new)
            #expect(try await sso.rows().map(\.generation) == [1])

            _ = try await sso.signInSilently()
            #expect(try await sso.with(old).ask(["prompt": "none"]).answer["code"] != nil)
            try await sso.change("presented_at = presented_at - interval '31 seconds'")
            #expect(try await sso.with(old).ask(["prompt": "none"]).answer["error"] == "login_required")
            #expect(try await sso.rows().map(\.reason) == ["reused"])
            #expect(try await sso.with(new).needsApple())
            for login in [first, second] { #expect(try await !login.lasts()) }
            #expect(try await sso.platform.audited("browser_session.reused").count == 1)
        }
    }

    @Test("the old cookie works as long as the response with its successor is lost")
    func lostResponse() async throws {
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            let old = try #require(sso.cookie)
            try await sso.change("rotated_at = rotated_at - interval '601 seconds'")
            _ = try await sso.with(old).signInSilently()
            try await sso.change("rotated_at = rotated_at - interval '2 hours'")
            #expect(try await sso.signInSilently().user == first.user)
            #expect(sso.cookie != old)
            #expect(try await sso.rows().map(\.generation) == [1])
            #expect(try await first.lasts())
            // It gets the next successor as usual.
            _ = try await sso.signInSilently()
            #expect(try await sso.rows().map(\.generation) == [2])
            #expect(try await sso.rows().map(\.reason) == [nil])
        }
    }

    @Test("parallel requests all get codes when the cookie is due for a successor, and get the same one")
    func parallel() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            try await sso.change("rotated_at = rotated_at - interval '601 seconds'")
            let cookie = try #require(sso.cookie)
            let successors = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let tab = sso.with(cookie)
                        _ = try await tab.signInSilently()
                        return tab.cookie
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(successors.count == 1 && !successors.contains(cookie))
            #expect(try await sso.rows().map(\.generation) == [1])
        }
    }

    // MARK: Forged cookies

    @Test("a cookie of another tenant, a changed one and one under a similar name are none")
    func forged() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.platform.call("PATCH", "/tenants/globex", ["single_sign_on": true])
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let elsewhere = TestBrowser(sso.platform)
            _ = try await elsewhere.code(.init(sso.platform.globex))
            let foreign = try #require(elsewhere.cookies["__Host-espalier-sso-globex"])
            _ = try await sso.signIn()
            let cookie = try #require(sso.cookie)
            #expect(try await sso.with(cookie).ask(["prompt": "none"]).answer["code"] != nil)
            #expect(try await sso.with(foreign).needsApple())
            for place in [0, 5, 6, 20, 30, 48, 53, 60, 95] {
                var bytes = Array(cookie.utf8)
                bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(try await sso.with(String(decoding: bytes, as: UTF8.self)).needsApple(), "\(place)")
            }
            for value in [cookie + "A", String(cookie.dropLast()), cookie + "=", "\"\(cookie)\"", cookie.uppercased()] {
                #expect(try await sso.with(value).needsApple())
            }
            for name in ["__host-espalier-sso-acme", "espalier-sso-acme", "__Host-espalier-sso-ACME", "__Host-espalier-sso-globex"] {
                #expect(try await sso.with(cookie, named: name).needsApple(), "\(name)")
            }
        }
    }

    @Test("marks that join a separator with its neighbor hide no cookie", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func marks(mark: String) async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            let cookie = try #require(sso.cookie)
            let name = SingleSignOn.cookieName
            func answer(_ header: String) async throws -> TestBrowser.Answer {
                try await sso.elsewhere.ask(["prompt": "none"], headers: [("Cookie", header)]).answer
            }
            #expect(try await answer("a=b\(mark); \(name)=\(cookie)")["code"] != nil)
            #expect(try await answer("a=b;\(mark)c=d; \(name)=\(cookie)")["code"] != nil)
            #expect(try await answer("\(name)=\(cookie);\(mark)x=y")["code"] != nil)
            for header in ["\(mark)\(name)=\(cookie)", "\(name)\(mark)=\(cookie)", "\(name)=\(mark)\(cookie)", "\(name)=\(cookie)\(mark)"] {
                #expect(try await answer(header)["error"] == "login_required")
            }
        }
    }

    @Test("a sibling domain's cookies of the same name displace the real one only in large numbers, and a large cookie is none")
    func many() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            let (cookie, name) = (try #require(sso.cookie), SingleSignOn.cookieName)
            let other = "\(name)=\(String(repeating: "A", count: 96)); "
            func answer(_ header: String) async throws -> TestBrowser.Answer {
                try await sso.elsewhere.ask(["prompt": "none"], headers: [("Cookie", header)]).answer
            }
            #expect(try await answer(other + "\(name)=\(cookie)")["code"] != nil)
            #expect(try await answer(String(repeating: other, count: 40) + "\(name)=\(cookie)")["error"] == "login_required")
            #expect(try await answer("\(name)=\(String(repeating: "A", count: 7000))")["error"] == "login_required")
        }
    }

    // MARK: End

    @Test("it ends when it is idle, at its absolute end, and with a shorter limit")
    func limits() async throws {
        for change in [
            "last_used_at = last_used_at - interval '86401 seconds'", "expires_at = now()",
            "signed_in_at = signed_in_at - interval '2592001 seconds'",
        ] {
            try await SingleSignOn.run { sso in
                _ = try await sso.signIn()
                try await sso.change(change)
                #expect(try await sso.needsApple(), "\(change)")
            }
        }
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            try await sso.change("signed_in_at = signed_in_at - interval '301 seconds'")
            _ = try await sso.signInSilently()
            _ = try await sso.platform.call("PATCH", "/tenants/acme", ["browser_session_seconds": 300])
            sso.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await sso.needsApple())
            // The session of an application has its own limits.
            #expect(try await first.lasts())
        }
    }

    @Test("it ends with the sessions of its user and with those of all users, and pauses with its tenant", arguments: 0..<5)
    func ended(how: Int) async throws {
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            let (answer, request) = try await sso.ask(["prompt": "none"])
            let code = try #require(answer["code"])
            switch how {
            case 0: _ = try await sso.platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke")
            case 1: _ = try await sso.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme")
            case 2: _ = try await sso.platform.call("DELETE", "/tenants/acme/users/\(first.user)")
            case 3:
                // Apple's notifications do the same.
                let (tenant, user) = (try #require(ID<Tenant>(sso.platform.acme.id)), try #require(ID<User>(first.user)))
                _ = try await OwnerDatabase(sso.platform.pool, tenant: tenant).transaction { db in
                    try await Session.endAll(of: user, tenant, because: .consentRevoked, at: Date(), in: db)
                }
            default:
                try await sso.platform.suspend(sso.platform.acme)
                sso.platform.installation.directory.forgetAll(isFresh: true)
                #expect(try await sso.ask(["prompt": "none"]).answer.isPage(404))
                return
            }
            #expect(try await sso.needsApple())
            #expect(try await sso.browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            if how == 2 { #expect(try await sso.rows().isEmpty) }
        }
    }

    @Test("a code from while all tokens are being ended gets no tokens", arguments: ["tenant_user", "tenant"])
    func endedMeanwhile(table: String) async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            let (answer, request) = try await sso.ask(["prompt": "none"])
            // The end has the time before its transaction, which the code does not see. The code is newer than this time.
            let time = "(SELECT max(signed_in_at) + interval '1 microsecond' FROM browser_session)"
            _ = try await sso.platform.ownerPool.run(SQL(unsafe: "UPDATE \(table) SET tokens_valid_after = \(time)"))
            #expect(try await sso.browser.redeem(try #require(answer["code"]), request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("old rows are deleted")
    func forgotten() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            _ = try await sso.elsewhere.signIn("Grace Hopper")
            let database = PlatformDatabase(sso.platform.pool, for: .forgetRevocations)
            try await BrowserSession.forgetOld(in: database)
            #expect(try await sso.rows().count == 2)
            try await sso.change("expires_at = now() - interval '61 minutes'")
            try await BrowserSession.forgetOld(in: database)
            #expect(try await sso.rows().isEmpty)
        }
    }

    @Test("an ended session and an old cookie do not return, even for the server's database role")
    func kept() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            let server = PlatformDatabase(sso.platform.pool)
            _ = try await server.run("UPDATE browser_session SET generation = 5")
            await #expect(throws: DatabaseError.self) { _ = try await server.run("UPDATE browser_session SET generation = 4") }
            _ = try await server.run("UPDATE browser_session SET ended_at = now(), ended_reason = 'logout'")
            await #expect(throws: DatabaseError.self) {
                _ = try await server.run("UPDATE browser_session SET ended_at = NULL, ended_reason = NULL")
            }
            await #expect(throws: DatabaseError.self) { _ = try await server.run("UPDATE browser_session SET user_id = id") }
            #expect(try await sso.rows().map(\.reason) == ["logout"])
        }
    }
}
