import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Synchronization
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Revoke all sessions")
struct RevokeAllSessionsTests {
    @Test("with the tenant's slug as confirmation, all sessions of the tenant end, and no other tenant's")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            let (first, second) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            let foreign = try await platform.login("Grace Hopper", platform.globex)
            let path = "/tenants/\(platform.acme.id)/sessions/revoke"
            #expect(try await platform.call("POST", path).isProblem(400, "invalid"))
            #expect(try await platform.call("POST", path + "?confirm=globex").isProblem(409, "conflict"))
            #expect(try await platform.call("POST", path + "?confirm=acme&force=true").isProblem(400, "invalid"))
            #expect(
                try await platform.call("POST", path + "?confirm=acme", key: platform.globex.api_keys[0].secret)
                    .isProblem(404, "not_found"))
            #expect(
                try await platform.call("POST", path + "?confirm=acme", key: platform.acme.api_keys[1].secret)
                    .isProblem(403, "insufficient_scope"))
            #expect(try await first.lasts())
            let answer = try await platform.call("POST", path + "?confirm=acme", key: platform.acme.api_keys[0].secret)
            #expect(answer.json["revoked"] as? Int == 2)
            #expect(try await first.isOver())
            #expect(try await second.isOver())
            #expect(try await foreign.lasts())
            let audited = try await platform.audited("revokeAllSessions")
            #expect(audited.map(\.subject) == [platform.acme.id, platform.acme.id])
            #expect(audited.map { $0.after["revoked"] as? Int } == [nil, 2])
        }
    }

    @Test("signing out all users without a session still ends codes, and is in the audit trail")
    func nobody() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            let key = platform.acme.api_keys[0].secret
            let answer = try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme", key: key)
            #expect(answer.json["revoked"] as? Int == 0)
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            let audited = try await platform.audited("revokeAllSessions")
            #expect(audited.map(\.subject) == [platform.acme.id])
            #expect(audited.map(\.actor) == [platform.acme.api_keys[0].id])
            #expect(audited.first?.after["tokens_valid_after"] as? String != nil)
        }
    }

    @Test("many sessions end in batches, each with its event; ended and later sessions do not change")
    func batches() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login()
            let (tenant, user) = (try #require(ID<Tenant>(platform.acme.id)), ID<User>(login.user))
            let application = ID<Application>(login.request.application.client_id)
            // 2500 active sessions, 700 expired ones among them, and one from the future.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at)
                SELECT \(tenant), gen_random_uuid(), \(application), \(user), 'openid', now() - interval '1 day',
                    now() + CASE WHEN n <= 700 THEN interval '-1 hour' ELSE interval '1 day' END, now() - interval '1 day'
                FROM generate_series(1, 3200) AS n
                UNION ALL SELECT \(tenant), gen_random_uuid(), \(application), \(user), 'openid', now() + interval '1 hour',
                    now() + interval '1 day', now()
                """)
            let answer = try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme")
            #expect(answer.json["revoked"] as? Int == 2501)
            #expect(try await platform.count("session", where: "ended_reason = 'revoked'") == 2501)
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 701)
            let counts = try await platform.events("session.revoked").compactMap { $0["revoked"] as? Int }
            #expect(counts.count == 4)
            #expect(counts.reduce(0, +) == 2501)
            #expect(try await platform.events("session.revoked").allSatisfy { $0["session_ids"] == nil || ($0["revoked"] as! Int) <= 100 })
            #expect(try await platform.audited("revokeAllSessions").compactMap { $0.after["revoked"] as? Int }.reduce(0, +) == 2501)
            #expect(try await login.isOver())
        }
    }

    /// A program that reads the events in order would otherwise miss the ends of a late batch.
    @Test("each batch ends its sessions at its own time")
    func times() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            for _ in 0..<3 { _ = try await platform.login() }
            let clock = SlowClock(start: Date())
            let revoked = try await SessionRoutes(pool: platform.pool, now: { clock.next() })
                .revokeSessions(of: try #require(ID<Tenant>(platform.acme.id)), by: .system, batch: 1, at: clock.next())
            #expect(revoked == 3)
            for times in [
                "SELECT DISTINCT ended_at AS time FROM session",
                "SELECT DISTINCT occurred_at AS time FROM webhook_event WHERE type = 'session.revoked'",
                "SELECT DISTINCT occurred_at AS time FROM audit_event WHERE action = 'revokeAllSessions' AND after->'revoked' IS NOT NULL",
            ] as [SQL] { #expect(try await platform.ownerPool.run(times).count == 3) }
        }
    }

    /// A clock for slow work: a second passes between two looks.
    private final class SlowClock: Sendable {
        private let time: Mutex<Date>

        init(start: Date) { time = Mutex(start) }

        func next() -> Date {
            time.withLock { time in
                time += 1
                return time
            }
        }
    }

    @Test("a session that is starting from an earlier code ends, too")
    func beginning() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            let (redeeming, revoking) = try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM tenant_user FOR UPDATE")
                let redeeming = Task { try await browser.redeem(code, request) }
                try await platform.waitForLock("the session is starting", by: 1)
                let revoking = Task { try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme") }
                try await platform.waitForLock("the revocation waits for it", by: 2)
                return (redeeming, revoking)
            }
            let tokens = try await redeeming.value
            #expect(try await revoking.value.json["revoked"] as? Int == 1)
            let refreshToken = try #require(tokens.string("refresh_token"))
            #expect(try await browser.refresh(refreshToken, request).isOAuthError(400, "invalid_grant"))
        }
    }
}
