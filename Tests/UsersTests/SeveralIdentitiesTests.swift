import Access
import Foundation
import Postgres
import Server
import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A user with several Apple Accounts under one team. A session names only the team.
@Suite("Several identities")
struct SeveralIdentitiesTests {
    private struct Stored: Equatable {
        let lastLoginAt: Date
        let vouchedAt: Date?
    }

    /// The times of the identities, in the order of their addition.
    private static func stored(_ platform: TestPlatform) async throws -> [Stored] {
        try await platform.ownerPool.run("SELECT last_login_at, vouched_at FROM identity ORDER BY created_at").map {
            Stored(lastLoginAt: try $0.get("last_login_at"), vouchedAt: try $0.get("vouched_at"))
        }
    }

    /// A user with two Apple Accounts, and the team that receives the applications.
    private static func moving(_ platform: TestPlatform) async throws -> (Linking, ReceivingTeam) {
        let linking = try await Linking.make(platform)
        let side = try await ReceivingTeam.make(platform)
        #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
        return (linking, side)
    }

    /// The IDs of the identities, in the order of their addition.
    private static func identities(_ linking: Linking) async throws -> [String] {
        let details = try await linking.platform.call("GET", "/tenants/acme/users/\(linking.owner.user)")
        return (details.json["identities"] as? [[String: any Sendable]])?.compactMap { $0["id"] as? String } ?? []
    }

    @Test("each sign-in is saved with its identity, and sessions count for none of them")
    func saved() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let before = try await Self.stored(linking.platform)
            _ = try await linking.platform.login(linking.second)
            let after = try await Self.stored(linking.platform)
            #expect(after[0] == before[0] && after[1].lastLoginAt > before[1].lastLoginAt)
            // A session of the other one, in the future.
            _ = try await linking.platform.ownerPool.run("UPDATE session SET created_at = now() + interval '1 hour'")
            let details = try await linking.platform.call("GET", "/tenants/acme/users/\(linking.owner.user)")
            let times = (details.json["identities"] as? [[String: any Sendable]])?.compactMap { $0["last_login_at"] as? String } ?? []
            let now = Date().addingTimeInterval(60).formatted(.iso8601)
            #expect(times.count == 2 && times.allSatisfy { $0 < now }, "\(times)")
        }
    }

    @Test("a sign-in that only a session records is saved before the second identity comes")
    func kept() async throws {
        try await Linking.run { linking in
            _ = try await linking.platform.ownerPool.run(
                "UPDATE identity SET last_login_at = last_login_at - interval '1 day', vouched_at = vouched_at - interval '1 day'")
            let before = try await Self.stored(linking.platform)[0]
            // This one changes nothing but the session.
            _ = try await linking.platform.login(linking.first)
            #expect(try await Self.stored(linking.platform)[0] == before)
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let after = try await Self.stored(linking.platform)[0]
            #expect(after.lastLoginAt > before.lastLoginAt + 80_000)
            let vouched = (try #require(before.vouchedAt), try #require(after.vouchedAt))
            #expect(vouched.1 > vouched.0 + 80_000)
        }
    }

    @Test("after a removal, the sessions of the team no longer count for the other identity")
    func removed() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let last = try #require(try await Self.identities(linking).last)
            #expect(try await linking.remove(last).status == 204)
            #expect(try await linking.platform.count("session", where: "apple_team_id IS NOT NULL OR vouched_at IS NOT NULL") == 0)
        }
    }

    @Test("a transfer moves an identity whose Apple Account exists, and a sign-in with another one afterwards asks the person")
    func transferred() async throws {
        try await TestPlatform.run { platform in
            let (linking, side) = try await Self.moving(platform)
            // The one that was used last is of a deleted Apple Account.
            _ = try await platform.ownerPool.run(
                """
                UPDATE identity SET revoked_at = 'infinity', last_login_at = now() + interval '1 minute'
                WHERE created_at = (SELECT max(created_at) FROM identity)
                """)
            let transfer = try await platform.createTransfer(to: side.team)
            try #require(try await platform.work("collect", transfer).batch == "1 0 0 true")
            try await platform.transferApp(to: side)
            try #require(try await platform.work("exchange", transfer).batch == "1 0 0 true")
            #expect(try await platform.login(linking.first).user == linking.owner.user)
            let other = linking.with(second: linking.second)
            #expect(try await other.user(other.link(other.page())) == linking.owner.user)
            #expect(try await platform.count("tenant_user") == 1)
        }
    }

    @Test("an Apple Account that is removed after the collection does not come back, and another one of the user moves")
    func removedAfterCollection() async throws {
        // Without the outbox, Apple still has the consent of the removed one.
        try await TestPlatform.run({ $0.outboxConcurrency = 0 }) { platform in
            let (linking, side) = try await Self.moving(platform)
            // The one that was used last is collected.
            #expect(try await platform.login(linking.second).user == linking.owner.user)
            let transfer = try await platform.createTransfer(to: side.team)
            try #require(try await platform.work("collect", transfer).batch == "1 0 0 true")
            let second = try #require(try await Self.identities(linking).last)
            #expect(try await linking.remove(second).status == 204)
            #expect(try await platform.call("GET", transfer).userCounts == [1, 0, 0, 0])

            try await platform.transferApp(to: side)
            #expect(try await platform.work("exchange", transfer).batch == "0 0 0 true")
            #expect(try await platform.login(linking.second).user != linking.owner.user)
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await platform.work("exchange", transfer).batch == "1 0 0 true")
            #expect(try await platform.login(linking.first).user == linking.owner.user)
            #expect(try await platform.call("POST", "\(transfer)/close").status == 200)
            #expect(try await platform.count("team_transfer_user", where: "apple_sub IS NOT NULL OR transfer_sub IS NOT NULL") == 0)
        }
    }

    @Test("the removal of an Apple Account that is not collected leaves the collected one as it is")
    func removedBesideCollection() async throws {
        try await TestPlatform.run { platform in
            let (linking, side) = try await Self.moving(platform)
            #expect(try await platform.login(linking.second).user == linking.owner.user)
            let transfer = try await platform.createTransfer(to: side.team)
            try #require(try await platform.work("collect", transfer).batch == "1 0 0 true")
            let first = try #require(try await Self.identities(linking).first)
            #expect(try await linking.remove(first).status == 204)
            #expect(try await platform.call("GET", transfer).userCounts == [0, 1, 0, 0])
            try await platform.transferApp(to: side)
            #expect(try await platform.login(linking.second).user == linking.owner.user)
        }
    }

    @Test("an Apple Account that is removed while Apple is asked about it is not collected")
    func removedDuringCollection() async throws {
        try await TestPlatform.run { platform in
            let (linking, side) = try await Self.moving(platform)
            #expect(try await platform.login(linking.second).user == linking.owner.user)
            let transfer = try await platform.createTransfer(to: side.team)
            let user = ID<User>(linking.owner.user)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, updated_at)
                SELECT tenant_id, id, \(user), 'pending', now() FROM team_transfer
                """)
            let collecting = try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM team_transfer_user FOR UPDATE")
                _ = try await db.run("DELETE FROM identity WHERE created_at = (SELECT max(created_at) FROM identity)")
                let collecting = Task { try await platform.work("collect", transfer) }
                try await platform.waitForLock("Apple has answered")
                return collecting
            }
            #expect(try await collecting.value.status == 200)
            #expect(try await platform.call("GET", transfer).userCounts == [1, 0, 0, 0])
        }
    }

    @Test("an addition that waited for another one locks its identity before the user, as a sign-in does")
    func addedAtOnce() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            let (tenant, user) = (try #require(ID<Tenant>(platform.acme.id)), try #require(ID<User>(linking.owner.user)))
            let added = AddedIdentity(team: platform.own.team, subject: "second", client: platform.own.servicesID)
            let keyring = platform.settings.keyring
            @Sendable func add(in db: Transaction, admit: () async throws -> Void = {}) async throws {
                _ = try await added.add(
                    to: user, tenant, logins: Session.logins(of: user, tenant), keyring: keyring, by: .system, action: "addIdentity",
                    at: Date(), in: db
                ) { _ in try await admit() }
            }
            let database = OwnerDatabase(platform.pool, tenant: tenant)
            let second = try await database.transaction { db in
                try await add(in: db)
                let second = Task {
                    try await database.transaction { db in
                        try await add(in: db) {
                            let free = try await platform.ownerPool.run(
                                "SELECT FROM identity WHERE apple_sub = 'second' FOR UPDATE SKIP LOCKED")
                            #expect(free.isEmpty)
                        }
                    }
                }
                try await platform.waitForLock("the second addition waits")
                return second
            }
            try await second.value
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("a transfer counts users: with two Apple Accounts, and after the removal of one or both of the old team")
    func counted() async throws {
        try await TestPlatform.run { platform in
            let (linking, side) = try await Self.moving(platform)
            let transfer = try await platform.createTransfer(to: side.team)
            func counts() async throws -> [Int] {
                let listed = try await platform.call("GET", "/tenants/acme/transfers").data.first?["users"] as? [String: Int]
                let shown = try await platform.call("GET", transfer).userCounts
                #expect(["pending", "collected", "moved", "failed"].map { listed?[$0] ?? -1 } == shown)
                return shown
            }
            #expect(try await counts() == [1, 0, 0, 0])
            try #require(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await counts() == [0, 1, 0, 0])
            try await platform.transferApp(to: side)
            try #require(try await platform.work("exchange", transfer).batch == "1 0 0 true")
            #expect(try await counts() == [0, 0, 1, 0])
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            for (identity, expected) in zip(
                try await platform.call("GET", path).data.filter { $0["team_id"] as? String == platform.own.team },
                [[0, 0, 1, 0], [0, 0, 0, 0]])
            {
                let id = try #require(identity["id"] as? String)
                #expect(try await linking.remove(id).status == 204)
                #expect(try await counts() == expected)
            }
            #expect(try await platform.call("GET", "\(transfer)/users").states.isEmpty)
        }
    }

    @Test("a user counts as moved only with one proven Apple Account under each team")
    func enlisted() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2", "Person 3"])
            let transfer = try await platform.createTransfer(to: side.team)
            for (number, user) in users.enumerated() {
                _ = try await platform.ownerPool.run(
                    """
                    INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at, is_asserted)
                    SELECT tenant_id, \(side.team), \("new-\(number)"), user_id, apple_client_id, now(), now(), \(number == 0)
                    FROM identity WHERE user_id = \(ID<User>(user))
                    """)
            }
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT tenant_id, team_id, 'nobody', user_id, apple_client_id, now(), last_login_at - interval '1 day'
                FROM identity WHERE user_id = \(ID<User>(users[1])) AND team_id = \(platform.own.team)
                """)
            #expect(try await platform.work("collect", transfer).batch == "2 0 0 true")
            let states = try await platform.call("GET", "\(transfer)/users").states
            #expect(states == [users[0]: "collected", users[1]: "collected", users[2]: "moved login"])
        }
    }
}
