import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// Sign-ins during the transfer of an app between teams.
@Suite("Move transferred user")
struct MoveTransferredUserTests {
    /// Two people whose transfer identifiers are collected, and an app that was transferred to the new team.
    private static func onTheWay(_ platform: TestPlatform) async throws -> (transfer: String, users: [String], people: [String]) {
        let people = ["Ada Lovelace", "Grace Hopper"]
        let side = try await ReceivingTeam.make(platform)
        let users = try await platform.signIn(people)
        let transfer = try await platform.createTransfer(to: side.team)
        guard try await platform.work("collect", transfer).batch == "2 0 0 true" else { throw TestSimulator.Refused(description: "none") }
        try await platform.transferApp(to: side)
        return (transfer, users, people)
    }

    @Test("a user who signs in before the exchange is the same user, with one event; the exchange finds the user moved")
    func before() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (transfer, users, people) = try await Self.onTheWay(platform)
            let reported = try await platform.events("user.created").count
            let ada = try await platform.login(people[0])
            #expect(ada.user == users[0])
            #expect(try await platform.login(people[0]).user == users[0])
            let name = try #require(try await platform.user(users[0]))
            #expect((name.givenName, name.familyName) == ("Ada", "Lovelace"))
            #expect(try await platform.events("user.created").count == reported)
            let shown = try await platform.call("GET", transfer)
            #expect(shown.userCounts == [0, 1, 1, 0])
            #expect(shown.string("closes_at") != nil)
            // Apple's refresh token of the sign-in is stored for a later revocation.
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL") == 0)

            let audited = try await platform.audited("moveUser")
            #expect(audited.map(\.subject) == [users[0]])
            #expect(audited.map(\.actor) == [ada.request.application.client_id])
            #expect((audited.first?.after["team_ids"] as? [String])?.count == 2)
            #expect(audited.first?.after["transfer_id"] as? String == shown.resourceID)
            for name in try await platform.appleNames() { #expect(audited.first?.text.contains(name) == false) }

            #expect(try await platform.work("exchange", transfer).batch == "1 0 0 true")
            #expect(
                try await platform.call("GET", "\(transfer)/users").states == [users[0]: "moved login", users[1]: "moved exchange"])
            #expect(try await platform.signIn(people) == users)
            #expect(try await platform.count("tenant_user") == 2)
        }
    }

    @Test("concurrent sign-ins of the same person are one user, moved once")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let (transfer, users, people) = try await Self.onTheWay(platform)
            let signedIn = try await withThrowingTaskGroup(of: [String].self) { tasks in
                for person in people + people + people + people { tasks.addTask { try await platform.signIn([person]) } }
                tasks.addTask {
                    _ = try await platform.work("exchange", transfer)
                    return []
                }
                return try await tasks.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
            #expect(signedIn == Set(users))
            #expect(try await platform.count("identity") == 4)
            #expect(try await platform.call("GET", transfer).userCounts == [0, 0, 2, 0])
        }
    }

    @Test("a user who is being signed out everywhere moves afterwards, without a deadlock")
    func changing() async throws {
        try await TestPlatform.run { platform in
            let (_, users, people) = try await Self.onTheWay(platform)
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let signingIn = try await platform.ownerPool.transaction { db in
                // Each change of a user locks first the user, last the audit trail.
                _ = try await db.run("UPDATE tenant_user SET updated_at = updated_at WHERE id = \(ID<User>(users[0]))")
                let signingIn = Task { try await platform.signIn([people[0]]) }
                try await platform.waitForLock("it waits for the user")
                _ = try await db.run(AuditEvent.insert("revokeUserSessions", of: users[0], owner: acme.uuid, by: .system, at: Date()))
                return signingIn
            }
            #expect(try await signingIn.value == [users[0]])
            #expect(try await platform.audited("moveUser").map(\.subject) == [users[0]])
        }
    }

    @Test("after the 60 days, or when the transfer is closed, no user is looked up", arguments: ["over", "closed"])
    func ended(status: String) async throws {
        try await TestPlatform.run { platform in
            let (transfer, users, people) = try await Self.onTheWay(platform)
            if status == "over" {
                _ = try await platform.ownerPool.run("UPDATE team_transfer SET closes_at = now() - interval '1 second'")
            } else {
                #expect(try await platform.call("POST", "\(transfer)/close").status == 200)
                #expect(try await platform.count("team_transfer_user", where: "transfer_sub IS NOT NULL") == 0)
            }
            #expect(try await platform.call("GET", transfer).string("status") == status)
            #expect(try await platform.signIn([people[0]])[0] != users[0])
            #expect(try await platform.audited("moveUser").isEmpty)
            for step in ["collect", "exchange", "retry"] {
                #expect(try await platform.call("POST", "\(transfer)/\(step)").isProblem(409, "conflict"), "\(step)")
            }
        }
    }

    @Test("a transfer to another team, or of another tenant, moves nobody", arguments: ["team", "tenant"])
    func other(what: String) async throws {
        try await TestPlatform.run { platform in
            let (_, users, people) = try await Self.onTheWay(platform)
            let globex = ID<Tenant>(platform.globex.id)
            if what == "team" {
                _ = try await platform.ownerPool.run("UPDATE team_transfer SET to_team_id = 'Z9Y8X7W6V5'")
            } else {
                // Globex has a user with the same transfer identifier, and Acme's own identifier was deleted.
                let foreign = ID<User>(try await platform.login("Alan Turing", platform.globex).user)
                _ = try await platform.ownerPool.run([
                    """
                    INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
                    SELECT \(globex), id, from_team_id, to_team_id, services_id, created_at, updated_at FROM team_transfer
                    """,
                    """
                    INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, transfer_sub, updated_at)
                    SELECT \(globex), transfer_id, \(foreign), 'collected', transfer_sub, now() FROM team_transfer_user
                    WHERE user_id = \(ID<User>(users[0]))
                    """,
                    "UPDATE team_transfer_user SET transfer_sub = NULL WHERE tenant_id <> \(globex)",
                ])
            }
            let known = try await platform.ownerPool.run("SELECT id FROM tenant_user").map {
                try $0.get("id", as: ID<User>.self).description
            }
            #expect(!known.contains(try await platform.signIn([people[0]])[0]))
            #expect(try await platform.audited("moveUser").isEmpty)
            #expect(known.contains(users[0]))
        }
    }
}
