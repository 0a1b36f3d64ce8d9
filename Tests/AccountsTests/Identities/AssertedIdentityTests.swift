import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A tenant asserts an identity of a person who signed in at another tenant of the shared connection.
@Suite("Attack: asserted identities")
struct AssertedIdentityTests {
    /// Adds the identity of a person of Globex to a user of Acme.
    private static func assert(_ platform: TestPlatform, _ subject: String, of user: String) async throws {
        let answer = try await platform.call(
            "POST", "/tenants/acme/users/\(user)/identities", ["team_id": platform.shared.team, "subject": subject])
        try #require(answer.status == 201, "\(answer.body)")
    }

    @Test("it neither takes over the grant of a deleted user of another tenant nor keeps the consent at Apple alive")
    func revoked() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper", platform.globex))
            try await Self.assert(platform, try await platform.subject(of: globex.user), of: acme.user)
            try await platform.delete(globex)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: globex) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.shared.team))
            #expect(try await platform.count("identity", where: "is_asserted AND sealed_refresh_token IS NOT NULL") == 0)
        }
    }

    @Test("after the person has signed in there, it counts as any other")
    func proven() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper", platform.globex))
            try await Self.assert(platform, try await platform.subject(of: globex.user), of: acme.user)
            #expect(try await platform.login("Grace Hopper").user == acme.user)
            #expect(try await platform.count("identity", where: "is_asserted") == 0)
            try await platform.delete(globex)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: globex) == ["kept used_elsewhere 0"])
        }
    }

    @Test("Apple's notifications do not reach its user, and it does not save the user of a deleted Apple Account")
    func notified() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper", platform.globex))
            let subject = try await platform.subject(of: globex.user)
            try await Self.assert(platform, subject, of: acme.user)
            try await platform.subscribe(platform.acme)
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: platform.shared.servicesID), to: nil)
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await acme.lasts())
            #expect(try await globex.isOver())
            #expect(try await platform.events("user.consent_revoked").isEmpty)
            let own = try await platform.subject(of: acme.user)
            try await platform.send(.init(type: "account-deleted", subject: own, client: platform.shared.servicesID), to: nil)
            try await platform.processNotifications()
            #expect(try await platform.count("tenant_user", where: "deleted_at IS NOT NULL") == 1)
            #expect(try await acme.isOver())
        }
    }

    @Test("it does not keep the name of a deleted person in the platform's notifications, and its removal does not delete it")
    func forgotten() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper", platform.globex))
            let subject = try await platform.subject(of: globex.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.shared.servicesID), to: nil)
            try await platform.processNotifications()
            try await Self.assert(platform, subject, of: acme.user)
            let path = "/tenants/acme/users/\(acme.user)/identities"
            let added = try await platform.call("GET", path).data.first { $0["subject"] as? String == subject }
            let id = try #require(added?["id"] as? String)
            #expect(try await platform.call("DELETE", "\(path)/\(id)").status == 204)
            #expect(try await platform.count("apple_notification", where: "forgotten_at IS NULL") == 1)

            try await Self.assert(platform, subject, of: acme.user)
            #expect(try await platform.call("DELETE", "/tenants/globex/users/\(globex.user)").status == 204)
            #expect(try await platform.count("apple_notification", where: "forgotten_at IS NULL OR apple_sub IS NOT NULL") == 0)
        }
    }
}
