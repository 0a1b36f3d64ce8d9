import Access
@testable import Accounts
import Foundation
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("End account")
struct EndAccountTests {
    private func erase(at now: Date, _ platform: TestPlatform) async throws -> Int {
        try await EraseUsers(database: PlatformDatabase(platform.pool), logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
            .pass(at: now)
    }

    private func delete(
        _ user: String, at platform: TestPlatform, _ type: String = "account-deleted", asDocumented: Bool = false
    ) async throws {
        try await platform.send(
            .init(
                type: type, subject: try await platform.subject(of: user), client: platform.own.servicesID,
                isAsDocumented: asDocumented))
        try await platform.processNotifications()
    }

    @Test(
        "the user is marked as deleted, in both spellings and both forms, and the tokens end",
        arguments: [("account-delete", false), ("account-deleted", false), ("account-delete", true), ("account-deleted", true)])
    func marked(type: String, asDocumented: Bool) async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let person = somebody()
            let login = try await platform.login(person)
            try await delete(login.user, at: platform, type, asDocumented: asDocumented)
            try await delete(login.user, at: platform, type, asDocumented: asDocumented)

            #expect(try await platform.outcomes() == ["done applied 1", "done applied 1"])
            #expect(try await login.isOver())
            #expect(try await platform.count("session", where: "ended_reason = 'account_deleted'") == 1)
            let shown = try await platform.shown(login.user)
            #expect(shown.string("status") == "deleted")
            let (deletedAt, eraseAfter) = (
                try Date(try #require(shown.string("deleted_at")), strategy: .iso8601),
                try Date(try #require(shown.string("erase_after")), strategy: .iso8601)
            )
            #expect(eraseAfter.timeIntervalSince(deletedAt) == 30 * 86400)
            let reported = try await platform.events("user.deleted")
            #expect(reported.map { $0["user_id"] as? String } == [login.user])
            #expect(reported.first?["reason"] as? String == "account_deleted")
            let audited = try await platform.audited("user.account_deleted")
            #expect(audited.map(\.actor) == ["apple"])
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL") == 0)

            // Until the user is erased, nobody can sign in as this user.
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            #expect(try await browser.signIn(request, person: person).reports(request, "access_denied"))
        }
    }

    @Test("in WorkOS's events, only the user's ID remains, and the deletion includes the ends of the sessions")
    func events() async throws {
        try await TestPlatform.run({ ($0.outboxConcurrency, $0.usageSettlesAfter) = (0, 0) }) { platform in
            let webhook = try await platform.call(
                "POST", "/tenants/acme/webhooks",
                ["url": "https://hooks.test/x", "events": ["user.created", "user.deleted", "session.revoked"], "format": "workos"])
            try #require(webhook.status == 201, "\(webhook.body)")
            let login = try await platform.login("Ada Lovelace")
            try await delete(login.user, at: platform)

            let list = try await TestBrowser(platform).send(
                "GET", "\(TestPlatform.publicURL)/events?limit=100",
                headers: [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)")], body: nil)
            try #require(list.status == 200, "\(list.body)")
            let events = try #require(list.json["data"] as? [[String: any Sendable]])
            #expect(
                events.compactMap { $0["event"] as? String }.sorted()
                    == ["authentication.oauth_succeeded", "session.created", "user.deleted"])
            for event in events {
                let data = try #require(event["data"] as? [String: any Sendable])
                #expect([data["id"] as? String, data["user_id"] as? String].contains(login.user), "\(data)")
                for name in ["email", "first_name", "ip_address", "user_agent"] { #expect(data[name] as? String == nil, "\(data)") }
            }
            #expect(try await platform.events("session.revoked").isEmpty)
            #expect(try await platform.events("user.deleted").count == 1)
        }
    }

    @Test("if consent and account end together, in either order, the user is marked as deleted once", arguments: [true, false])
    func withConsent(isConsentFirst: Bool) async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login()
            try await platform.anHourAgo(login.user)
            let events = [("consent-revoked", -20.0), ("account-deleted", -10)]
            for (type, seconds) in isConsentFirst ? events : events.reversed() {
                try await platform.send(
                    .init(
                        type: type, subject: try await platform.subject(of: login.user), client: platform.own.servicesID,
                        happenedAt: Date(timeIntervalSinceNow: seconds)))
                try await platform.processNotifications()
            }
            #expect(try await platform.outcomes() == ["done applied 1", isConsentFirst ? "done applied 1" : "done superseded 1"])
            #expect(try await platform.shown(login.user).string("status") == "deleted")
            #expect(try await platform.events("user.deleted").count == 1)
            #expect(try await platform.audited("user.account_deleted").count == 1)
            #expect(try await login.isOver())
        }
    }

    @Test("a concurrent sign-in is refused; for a user that is not saved yet, the event waits")
    func signingIn() async throws {
        try await TestPlatform.runByHand { platform in
            let person = somebody()
            let login = try await platform.login(person)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: person)
            let (newcomer, first) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let firstForm = try await newcomer.atApple(try await newcomer.authorize(first), person: somebody())
            let moment = Date(timeIntervalSinceNow: 30)
            for subject in [try await platform.subject(of: login.user), try claims(of: firstForm["id_token"])["sub"] as? String] {
                try await platform.send(
                    .init(
                        type: "account-deleted", subject: subject, client: platform.own.servicesID, happenedAt: moment, issuedAt: moment))
            }
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done applied 1", "pending unknown_user 0"])
            #expect(try await browser.callback(form).reports(request, "access_denied"))
            #expect(try await login.isOver())

            let answer = try await newcomer.redeem(try #require(try await newcomer.callback(firstForm)["code"]), first)
            #expect(answer.status == 200)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 125)) == 1)
            #expect(try await platform.outcomes() == ["done applied 1", "done applied 1"])
            #expect(try await newcomer.userInfo(answer.string("access_token"), of: platform.acme).isOAuthError(401, "invalid_token"))
            #expect(try await platform.count("tenant_user", where: "deleted_at IS NULL") == 0)
        }
    }

    @Test("the profile is erased exactly when the retention is over; usage stays, and the next sign-in is a new user")
    func erased() async throws {
        try await TestPlatform.runByHand { platform in
            let person = somebody()
            let (login, stays) = (try await platform.login(person), try await platform.login())
            try await delete(login.user, at: platform)
            #expect(try await erase(at: Date(timeIntervalSinceNow: 30 * 86400 - 60), platform) == 0)
            #expect(try await platform.shown(login.user).status == 200)
            #expect(try await erase(at: Date(timeIntervalSinceNow: 30 * 86400 + 60), platform) == 1)
            #expect(try await erase(at: Date(timeIntervalSinceNow: 31 * 86400), platform) == 0)

            #expect(try await platform.shown(login.user).status == 404)
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await platform.count("identity") == 1)
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 2)
            #expect(try await stays.lasts())
            let audited = try #require(try await platform.audited("user.erased").first)
            #expect(audited.actor == "system")
            #expect(audited.subject == login.user)
            #expect(audited.before["sessions"] as? Int == 1)
            #expect(!audited.text.contains("@"))

            let anew = try await platform.login(person)
            #expect(anew.user != login.user)
            #expect(try await anew.lasts())
        }
    }

    @Test("without retention the user is erased at once, also in more than one batch")
    func atOnce() async throws {
        try await TestPlatform.runByHand { platform in
            _ = try await platform.ownerPool.run("UPDATE tenant SET profile_retention_days = 0")
            let login = try await platform.login()
            try await delete(login.user, at: platform)
            let tenant = ID<Tenant>(platform.acme.id)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO tenant_user (tenant_id, id, created_at, updated_at, deleted_at, erase_after)
                SELECT \(tenant), gen_random_uuid(), now(), now(), now(), now() FROM generate_series(1, 250)
                """)
            #expect(try await erase(at: Date(), platform) == 251)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("a user for whom Apple has vouched since stays, under the same team and under another")
    func staysWithNewerIdentity() async throws {
        try await TestPlatform.runByHand { platform in
            let (back, moved) = (try await platform.login(), try await platform.login())
            try await platform.send(
                .init(
                    type: "account-deleted", subject: try await platform.subject(of: back.user), client: platform.own.servicesID,
                    happenedAt: Date(timeIntervalSinceNow: -3600)))
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done superseded 1"])
            #expect(try await platform.shown(back.user).string("status") == "active")
            #expect(try await back.lasts())

            let user = ID<User>(moved.user)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at, vouched_at)
                SELECT tenant_id, 'OTHERTEAM1', 'other', user_id, 'other', created_at, last_login_at, vouched_at + interval '1 hour'
                FROM identity WHERE user_id = \(user)
                """)
            try await delete(moved.user, at: platform)
            #expect(try await platform.shown(moved.user).string("status") == "active")
            #expect(try await platform.count("identity", where: "revoked_at = 'infinity' AND apple_sub <> 'other'") == 1)
            #expect(try await platform.count("identity", where: "revoked_at IS NOT NULL AND apple_sub = 'other'") == 0)
            // A session does not record the identity that it started with.
            #expect(try await moved.isOver())
        }
    }

    @Test("a user with another Apple Account under the same team loses only the deleted one")
    func otherAppleAccount() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let user = ID<User>(login.user)
            func add(_ subject: String) async throws {
                _ = try await platform.ownerPool.run(
                    """
                    INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                    SELECT tenant_id, team_id, \(subject), user_id, apple_client_id, created_at + interval '1 second', last_login_at
                    FROM identity WHERE user_id = \(user) LIMIT 1
                    """)
            }
            try await add("other")
            try await delete(login.user, at: platform)
            #expect(try await platform.shown(login.user).string("status") == "active")
            #expect(try await platform.count("identity", where: "revoked_at = 'infinity' AND apple_sub <> 'other'") == 1)
            #expect(try await platform.count("identity", where: "revoked_at IS NULL AND apple_sub = 'other'") == 1)
            #expect(try await login.isOver())
            // The last one ends the user.
            try await platform.send(.init(type: "account-deleted", subject: "other", client: platform.own.servicesID))
            try await platform.processNotifications()
            #expect(try await platform.shown(login.user).string("status") == "deleted")
        }
    }
}
