import Access
@testable import Accounts
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users
import Web

@Suite("Process notification")
struct ProcessNotificationTests {
    @Test("under the shared connection, one event reaches the person in every tenant, and no other person")
    func everyTenant() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.moveToShared(["existing_users": "new_users"])
            let person = somebody()
            let (acme, globex) = (try await platform.login(person), try await platform.login(person, platform.globex))
            let stranger = try await platform.login(somebody(), platform.globex)
            let subject = try await platform.subject(of: acme.user)
            #expect(try await platform.subject(of: globex.user) == subject)
            // A third tenant, without a session.
            let third = try await platform.call("POST", "/tenants", ["slug": "third", "name": "Third", "plan": "free"])
            let (tenant, user) = (try #require(ID<Tenant>(third.resourceID)), ID<User>(at: Date()))
            _ = try await platform.ownerPool.run([
                "INSERT INTO tenant_user (tenant_id, id, created_at, updated_at) VALUES (\(tenant), \(user), now(), now())",
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                VALUES (\(tenant), \(platform.shared.team), \(subject), \(user), 'x', now(), now())
                """,
            ])
            for tenant in [platform.acme, platform.globex] { try await platform.subscribe(tenant) }

            try await platform.send(
                .init(type: "consent-revoked", subject: subject, client: platform.shared.servicesID), to: nil)
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done applied 3"])
            #expect(try await acme.isOver())
            #expect(try await globex.isOver())
            #expect(try await stranger.lasts())
            #expect(try await platform.count("identity", where: "revoked_at IS NOT NULL") == 3)
            #expect(try await platform.events("user.consent_revoked").count == 2)
            #expect(try await platform.audited("user.consent_revoked").count == 3)

            // The event is applied again for a tenant where a first sign-in may have been running.
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 125)) == 1)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 500)) == 0)
            #expect(try await platform.outcomes() == ["done applied 3"])
            #expect(try await platform.audited("user.consent_revoked").count == 3)
        }
    }

    @Test("a tenant's own notification reaches no other tenant, even if the same team serves both")
    func ownTenant() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let subject = try await platform.subject(of: login.user)
            let (globex, user) = (ID<Tenant>(platform.globex.id), ID<User>(at: Date()))
            _ = try await platform.ownerPool.run([
                "INSERT INTO tenant_user (tenant_id, id, created_at, updated_at) VALUES (\(globex), \(user), now(), now())",
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                VALUES (\(globex), \(platform.own.team), \(subject), \(user), 'x', now(), now())
                """,
            ])
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: platform.own.servicesID))
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await platform.count("identity", where: "revoked_at IS NOT NULL") == 1)
        }
    }

    @Test("an unknown person is looked up again after two minutes and after 22, and is then unknown")
    func stranger() async throws {
        try await TestPlatform.runByHand { platform in
            for subject in ["000001.stranger.0001", nil] {
                try await platform.send(.init(type: "consent-revoked", subject: subject, client: platform.own.servicesID))
            }
            #expect(try await platform.processNotifications() == 2)
            #expect(try await platform.outcomes() == ["pending unknown_user 0", "pending unknown_user 0"])
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 110)) == 0)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 125)) == 2)
            #expect(try await platform.outcomes() == ["pending unknown_user 0", "pending unknown_user 0"])
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1300)) == 0)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1325)) == 2)
            #expect(try await platform.outcomes() == ["done unknown_user 0", "done unknown_user 0"])
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 5000)) == 0)
        }
    }

    @Test("a notification of an unknown type or with unreadable content is stored and counted")
    func unknownType() async throws {
        try await TestPlatform.runByHand { platform in
            let client = platform.own.servicesID
            try await platform.send(.init(type: "passkey-added", subject: "1", client: client))
            try await platform.send(.init(type: "<b>", subject: "1", client: client))
            try await platform.send(.init(type: "consent-revoked", subject: "1", client: client, changes: ["events": "no JSON"]))
            try await platform.send(.init(type: "consent-revoked", subject: "1", client: client, changes: ["events": nil]))
            let metrics = Metrics()
            #expect(try await platform.processNotifications(counting: metrics) == 4)
            #expect(try await platform.outcomes() == Array(repeating: "done unknown_type 0", count: 4))
            #expect(metrics.text.contains(#"espalier_notifications_total{type="unknown",outcome="unknown_type"} 4"#))
            let types = try await platform.ownerPool.run("SELECT type FROM apple_notification ORDER BY id")
            #expect(try types.map { try $0.get("type", as: String.self) } == ["passkey-added", "unreadable", "unreadable", "unreadable"])
        }
    }

    @Test("if a process dies before the work or before recording its end, the next one continues, and it takes effect once")
    func killed() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login()
            try await platform.send(
                .init(
                    type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.own.servicesID))
            // The entry was taken by a process that has died.
            _ = try await platform.ownerPool.run(
                "UPDATE outbox SET attempts = 1, due_at = now() + interval '120 seconds' WHERE kind = 'apple_notification'")
            #expect(try await platform.processNotifications() == 0)
            #expect(try await login.lasts())
            // The work was done, but the process died before it recorded this.
            _ = try await platform.ownerPool.run("CREATE TABLE spare AS SELECT * FROM outbox WHERE kind = 'apple_notification'")
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 121)) == 1)
            _ = try await platform.ownerPool.run([
                "UPDATE apple_notification SET state = 'pending', outcome = NULL", "INSERT INTO outbox SELECT * FROM spare",
                "DROP TABLE spare",
            ])
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 242)) == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await platform.events("user.consent_revoked").count == 1)
            #expect(try await platform.audited("user.consent_revoked").count == 1)
            #expect(try await platform.count("outbox", where: "kind = 'apple_notification'") == 0)
        }
    }

    @Test("a server processes it automatically")
    func byItself() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            try await platform.send(
                .init(
                    type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.own.servicesID))
            try await eventually("it is processed") { try await platform.outcomes() == ["done applied 1"] }
            #expect(try await login.isOver())
        }
    }

    @Test("the simulator's own notification arrives and signs the person out")
    func simulated() async throws {
        try await TestPlatform.run { platform in
            // Nothing listens at the public URL, so the simulator receives the server's real address.
            try await platform.simulator.send(
                .PUT, "/simulator/teams/\(platform.own.team)",
                ["notification_url": "\(platform.address)/t/acme/auth/apple/notifications"])
            let person = somebody()
            let login = try await platform.login(person)
            try await platform.simulator.send(
                .POST, "/simulator/notifications", ["client_id": platform.own.servicesID, "person": person, "type": "consent-revoked"])
            try await eventually("it is processed") { try await platform.outcomes() == ["done applied 1"] }
            #expect(try await login.isOver())
        }
    }

    @Test("notifications are deleted after 90 days")
    func forgotten() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.send(.init(type: "x", subject: "1", client: platform.own.servicesID))
            let database = PlatformDatabase(platform.pool)
            try await StoredNotification.forgetOld(in: database, at: Date(timeIntervalSinceNow: 89 * 86400))
            #expect(try await platform.count("apple_notification") == 1)
            try await StoredNotification.forgetOld(in: database, at: Date(timeIntervalSinceNow: 91 * 86400))
            #expect(try await platform.count("apple_notification") == 0)
            // The remaining outbox entry ends without an error.
            #expect(try await platform.processNotifications() == 1)
            #expect(try await platform.count("outbox") == 0)
        }
    }
}
