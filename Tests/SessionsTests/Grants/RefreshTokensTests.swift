import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Refresh tokens")
struct RefreshTokensTests {
    /// Moves the session's last refresh into the past.
    private static func age(_ platform: TestPlatform, seconds: Int) async throws {
        _ = try await platform.ownerPool.run(
            SQL(unsafe: "UPDATE session SET refreshed_at = refreshed_at - interval '\(seconds) seconds'"))
    }

    private static func begin(_ platform: TestPlatform) async throws -> (TestBrowser, TestBrowser.Request, token: String) {
        let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
        return (browser, request, try #require(try await browser.tokens(request)["refresh_token"] as? String))
    }

    @Test("each use returns a successor and a new access token of the same session, and costs nothing")
    func rotation() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let first = try await browser.tokens(request)
            var seen: Set = [first["refresh_token"] as! String]
            var token = first["refresh_token"] as! String
            for _ in 0..<3 {
                let answer = try await browser.refresh(token, request)
                #expect(answer.status == 200)
                #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"])
                token = try #require(answer.string("refresh_token"))
                #expect(seen.insert(token).inserted)
                let (old, new) = (try claims(of: first["access_token"] as? String), try claims(of: answer.string("access_token")))
                for same in ["sid", "sub", "client_id", "scope", "iss", "tid"] { #expect(old[same] as? String == new[same] as? String) }
                #expect(old["jti"] as? String != new["jti"] as? String)
                #expect(try await browser.userInfo(answer.string("access_token"), of: platform.acme).status == 200)
            }
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a used token presented again within 30 seconds returns the same successor")
    func grace() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            let first = try await browser.refresh(token, request)
            // The remaining time is a margin for a slow machine.
            try await Self.age(platform, seconds: 5)
            let again = try await browser.refresh(token, request)
            #expect(again.status == 200)
            #expect(again.string("refresh_token") == first.string("refresh_token"))
            #expect(try await browser.refresh(again.string("refresh_token")!, request).status == 200)
            #expect(try await platform.count("audit_event") == 0)
        }
    }

    @Test("one token presented many times at once returns one successor")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await browser.refresh(token, request) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map { $0.string("refresh_token") }).count == 1)
            #expect(try await platform.count("session", where: "refresh_generation = 1 AND ended_at IS NULL") == 1)
        }
    }

    @Test("a used token presented later ends the session with all its tokens, and is audited once")
    func reuse() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            let successor = try await browser.refresh(token, request)
            try await Self.age(platform, seconds: 31)
            #expect(try await browser.refresh(token, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.refresh(successor.string("refresh_token")!, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.refresh(token, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(successor.string("access_token"), of: platform.acme).status == 401)
            #expect(try await platform.count("session", where: "ended_reason = 'refresh_token_reused'") == 1)
            let actor = request.application.client_id
            #expect(try await platform.count("audit_event", where: "action = 'session.refresh_token_reused' AND actor = '\(actor)'") == 1)
            #expect(try await platform.count("audit_event") == 1)
        }
    }

    @Test("a token from two uses ago ends the session at once")
    func olderReuse() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            let next = try await browser.refresh(token, request).string("refresh_token")!
            let newest = try await browser.refresh(next, request).string("refresh_token")!
            #expect(try await browser.refresh(token, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.refresh(newest, request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("the end of one session does not affect the user's other sessions")
    func otherSessions() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let phone = try await browser.tokens(request, person: "Grace Hopper")
            let code = try await browser.code(request, person: "Grace Hopper")
            let laptop = try await browser.redeem(code, request)
            #expect(try await browser.redeem(code, request).status == 400)
            #expect(try await browser.refresh(laptop.string("refresh_token")!, request).status == 400)
            #expect(try await browser.refresh(phone["refresh_token"] as! String, request).status == 200)
        }
    }

    @Test("a session that is 30 days idle or 90 days old has ended, and this is not treated as a misuse")
    func lifetimes() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, idle) = try await Self.begin(platform)
            try await Self.age(platform, seconds: 30 * 86400 - 60)
            let refreshed = try await browser.refresh(idle, request)
            #expect(refreshed.status == 200)
            try await Self.age(platform, seconds: 30 * 86400)
            #expect(try await browser.refresh(refreshed.string("refresh_token")!, request).isOAuthError(400, "invalid_grant"))

            let old = try #require(try await browser.tokens(request)["refresh_token"] as? String)
            let left = try await platform.ownerPool.run(
                "SELECT extract(epoch FROM max(expires_at) - max(created_at))::bigint AS seconds FROM session"
            ).first { try $0.get("seconds", as: Int.self) }
            #expect(left == 90 * 86400)
            _ = try await platform.ownerPool.run("UPDATE session SET expires_at = now()")
            #expect(try await browser.refresh(old, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("audit_event") == 0)
        }
    }

    @Test("each refresh may request a smaller scope; a larger one is refused and does not use up the token")
    func scope() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            func refresh(_ token: String, scope: String) async throws -> TestBrowser.Answer {
                try await browser.token(request, [("grant_type", "refresh_token"), ("refresh_token", token), ("scope", scope)])
            }
            for more in ["openid offline_access", "openid profile email admin", "OPENID", "openid,email"] {
                #expect(try await refresh(token, scope: more).isOAuthError(400, "invalid_scope"), "\(more)")
            }
            #expect(try await platform.count("session", where: "refresh_generation = 0 AND ended_at IS NULL") == 1)

            let less = try await refresh(token, scope: "email  openid")
            #expect(less.string("scope") == "openid email")
            #expect(try claims(of: less.string("access_token"))["scope"] as? String == "openid email")
            let userInfo = try await browser.userInfo(less.string("access_token"), of: platform.acme).json
            #expect(userInfo["name"] == nil)
            let all = try await browser.refresh(less.string("refresh_token")!, request)
            #expect(all.string("scope") == "openid profile email")
        }
    }

    @Test("a token is valid only for its application and tenant")
    func foreign() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, token) = try await Self.begin(platform)
            for thief in [
                TestBrowser.Request(platform.acme, application: 1), TestBrowser.Request(platform.acme, application: 2),
                TestBrowser.Request(platform.globex),
            ] {
                #expect(try await browser.refresh(token, thief).isOAuthError(400, "invalid_grant"))
            }
            #expect(try await platform.count("audit_event") == 0)
            #expect(try await browser.refresh(token, request).status == 200)
        }
    }

    @Test("an invalid refresh token is refused, and does not affect any session")
    func garbage() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let token = tokens["refresh_token"] as! String
            for other in [
                "x", "ert_", String(token.dropLast()), token + "A", token.uppercased(), String(token.dropFirst(4)), token + "=",
                "ert_" + String(repeating: "A", count: 75), "ert_" + String(repeating: "é", count: 75), tokens["access_token"] as! String,
                tokens["id_token"] as! String,
            ] {
                #expect(try await browser.refresh(other, request).isOAuthError(400, "invalid_grant"))
            }
            #expect(try await browser.refresh("", request).isOAuthError(400, "invalid_request"))
            for position in stride(from: 4, to: 79, by: 5) {
                var altered = Array(token)
                altered[position] = altered[position] == "A" ? "B" : "A"
                #expect(try await browser.refresh(String(altered), request).isOAuthError(400, "invalid_grant"), "\(position)")
            }
            #expect(try await browser.refresh(token, request).status == 200)
        }
    }

    @Test("a refresh returns an id_token of the same session, which can end it after the first one's key is gone")
    func idToken() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let first = try await browser.tokens(request, person: "Ada Lovelace")
            let before = try claims(of: first["id_token"] as? String)
            // The keys are old enough for a replacement.
            _ = try await platform.ownerPool.run("UPDATE signing_key SET created_at = created_at - interval '1 hour'")
            let rotated = try await platform.call("POST", "/tenants/acme/signing-keys/rotate", ["compromised": true])
            #expect(rotated.status == 200)
            let page = try await browser.get("\(platform.acme.issuer)/oauth2/logout?id_token_hint=\(first["id_token"] as? String ?? "")")
            #expect(page.status == 400)

            let refreshed = try await browser.refresh(first["refresh_token"] as? String ?? "", request)
            let after = try claims(of: refreshed.string("id_token"))
            for claim in ["iss", "sub", "aud", "sid"] { #expect(after[claim] as? String == before[claim] as? String, "\(claim)") }
            #expect(after["auth_time"] as? Int == before["auth_time"] as? Int)
            #expect(after["at_hash"] as? String != before["at_hash"] as? String)
            #expect(Set(after.keys) == ["iss", "sub", "aud", "sid", "iat", "exp", "auth_time", "at_hash", "amr"])
            let out = try await browser.get("\(platform.acme.issuer)/oauth2/logout?id_token_hint=\(refreshed.string("id_token") ?? "")")
            #expect(out.status == 200)
            #expect(try await browser.refresh(refreshed.string("refresh_token") ?? "", request).isOAuthError(400, "invalid_grant"))
        }
    }
}
