import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// Deletions of users who had moved with an app to another Apple team. The old team's grant needs no revocation.
@Suite("Transferred deletion")
struct TransferredDeletionTests {
    /// Two people whose app has moved to the new team. A sign-in has moved the first person, the exchange the second.
    private static func moved(_ platform: TestPlatform) async throws -> (ada: TestPlatform.LoggedIn, grace: String, side: ReceivingTeam) {
        let people = ["Ada Lovelace", "Grace Hopper"]
        let side = try await ReceivingTeam.make(platform)
        let users = try await platform.signIn(people)
        let transfer = try await platform.createTransfer(to: side.team)
        try #require(try await platform.work("collect", transfer).batch == "2 0 0 true")
        try await platform.transferApp(to: side)
        let ada = try await platform.login(people[0])
        try #require(ada.user == users[0])
        try #require(try await platform.work("exchange", transfer).batch == "1 0 0 true")
        return (ada, users[1], side)
    }

    @Test("the old team's grant needs no revocation, the new team's is revoked, and the record is finished")
    func finished() async throws {
        try await withRestingOutbox { platform in
            let (ada, grace, side) = try await Self.moved(platform)
            try await platform.delete(ada)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await Self.fates(ada.user, platform) == [platform.own.team: "not_needed transferred", side.team: "revoked"])
            #expect(try await platform.record(of: ada)["status"] as? String == "finished")
            #expect(try await !platform.consents("Ada Lovelace", to: side.team))

            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(grace)").status == 204)
            #expect(
                try await Self.fates(grace, platform) == [
                    platform.own.team: "not_needed transferred", side.team: "impossible no_refresh_token",
                ])
            #expect(try await platform.count("outbox") == 0)
        }
    }

    @Test("a consent to another app of the old team is not treated as moved, so Apple is asked first")
    func anotherApp() async throws {
        try await withRestingOutbox { platform in
            let (ada, _, _) = try await Self.moved(platform)
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET apple_client_id = 'com.example.other' WHERE team_id = \(platform.own.team)")
            try await platform.delete(ada)
            #expect(try await Self.fates(ada.user, platform)[platform.own.team]?.hasPrefix("pending") == true)
        }
    }

    @Test("a record of an older version finishes with the next try, with the old connection or without", arguments: [true, false])
    func older(hasConnection: Bool) async throws {
        try await withRestingOutbox { platform in
            let old = try await platform.ownConnection()
            let (ada, _, side) = try await Self.moved(platform)
            _ = try await platform.ownerPool.run("UPDATE team_transfer_user SET state = 'collected', moved_by = NULL")
            try await platform.delete(ada)
            _ = try await platform.ownerPool.run("UPDATE team_transfer SET closes_at = NULL")
            if !hasConnection {
                let path = "/tenants/acme/connections/\(old)"
                #expect(try await platform.change("DELETE", path, of: path).status == 204)
            }
            try await platform.runRevocations()
            let reason = hasConnection ? "credentials_refused" : "no_credentials"
            #expect(try await Self.fates(ada.user, platform) == [platform.own.team: "pending \(reason)", side.team: "revoked"])
            // The move of another user shows that Apple has transferred the app.
            _ = try await platform.ownerPool.run("UPDATE team_transfer SET closes_at = now()")
            try await platform.pass(86400)
            try await platform.runRevocations()
            #expect(try await Self.fates(ada.user, platform) == [platform.own.team: "not_needed transferred", side.team: "revoked"])
            #expect(try await platform.record(of: ada)["status"] as? String == "finished")
        }
    }

    @Test("a collected user who has not moved, or whose app Apple has not transferred, is revoked at the old team")
    func notYet() async throws {
        try await withRestingOutbox { platform in
            let side = try await ReceivingTeam.make(platform)
            let (ada, grace) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper"))
            // The other team already knows the user through another app.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT tenant_id, \(side.team), 'other', user_id, apple_client_id, now(), now() FROM identity
                WHERE user_id = \(ID<User>(grace.user))
                """)
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await platform.count("team_transfer_user", where: "state = 'moved'") == 1)
            for login in [ada, grace] { try await platform.delete(login) }
            try await platform.runRevocations()
            for (login, person) in [(ada, "Ada Lovelace"), (grace, "Grace Hopper")] {
                #expect(try await Self.fates(login.user, platform)[platform.own.team] == "revoked")
                #expect(try await !platform.consents(person, to: platform.own.team))
            }
        }
    }

    /// The result for a user at each team.
    private static func fates(_ user: String, _ platform: TestPlatform) async throws -> [String: String] {
        let record = try #require(try await platform.call("GET", "/tenants/acme/user-deletions?user=\(user)").data.first)
        let grants = try #require(record["apple"] as? [[String: any Sendable]])
        return Dictionary(
            grants.map { grant in
                let words = [grant["status"], grant["reason"]].compactMap { $0 as? String }
                return (grant["team_id"] as? String ?? "", words.joined(separator: " "))
            }, uniquingKeysWith: { $1 })
    }
}
