import Access
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Exchange transfer")
struct ExchangeTransferTests {
    @Test("every user and profile is the same under the new team; relay addresses become the new team's")
    func exchanged() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let open = try await platform.signIn((1...7).map { "Person \($0)" })
            let hidden = try await platform.signIn(["Hidden Person"], hidingEmail: true)[0]
            let before = try #require(try await platform.user(hidden))
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "8 0 0 true")
            let early = try await platform.work("exchange", transfer)
            #expect(early.isProblem(409, "conflict"))
            #expect(early.reason.contains(side.team))

            try await platform.transferApp(to: side)
            #expect(try await platform.work("exchange", transfer, limit: 5).batch == "5 0 0 false")
            let begun = try await platform.call("GET", transfer)
            #expect(begun.userCounts == [0, 3, 5, 0])
            let closes = try #require(begun.string("closes_at").flatMap { try? Date($0, strategy: .iso8601) })
            #expect(abs(closes.timeIntervalSinceNow - 60 * 86_400) < 600)
            #expect(try await platform.work("exchange", transfer, limit: 5).batch == "3 0 0 true")
            #expect(try await platform.call("GET", transfer).string("closes_at") == begun.string("closes_at"))
            #expect(try await platform.work("exchange", transfer).batch == "0 0 0 true")

            // Mail reaches the hidden address again, before anyone has signed in.
            let after = try #require(try await platform.user(hidden))
            #expect(after.email != before.email && after.email?.hasSuffix("@privaterelay.appleid.com") == true)
            #expect(after.isPrivateEmail && after.emailVerified)
            #expect(try await platform.user(open[0])?.email == "person-1@example.com")

            #expect(try await platform.signIn((1...7).map { "Person \($0)" } + ["Hidden Person"]) == open + [hidden])
            #expect(try await platform.count("tenant_user") == 8)
            let named = try #require(try await platform.user(open[6]))
            #expect((named.givenName, named.familyName) == ("Person", "7"))
            #expect(try await platform.user(hidden)?.email == after.email)
            let report = try await platform.call("GET", "\(transfer)/users?state=moved&limit=100")
            #expect(Set(report.states.values) == ["moved exchange"] && report.states.count == 8)

            let audited = try await platform.audited("exchangeTransfer")
            #expect(audited.map { $0.after["moved"] as? Int } == [5, 3])
            for name in try await platform.appleNames() { #expect(!audited.contains { $0.text.contains(name) }) }
        }
    }

    @Test(
        "a user who signed up under the new team first stays, with the reason in the report; one with another identity there gets a second")
    func anew() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2", "Person 3"])
            let transfer = try await platform.createTransfer(to: side.team)
            try await platform.transferApp(to: side)
            // This user is not collected yet, so the person cannot be identified.
            let anew = try await platform.signIn(["Person 1"])[0]
            #expect(anew != users[0])
            #expect(try await platform.work("collect", transfer).batch == "3 0 0 true")
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT tenant_id, \(side.team), 'another', user_id, apple_client_id, now(), now() FROM identity
                WHERE user_id = \(ID<User>(users[1]))
                """)
            #expect(try await platform.work("exchange", transfer).batch == "2 1 0 true")
            let report = try await platform.call("GET", "\(transfer)/users")
            #expect(
                report.states == [
                    users[0]: "failed signed_in_anew", users[1]: "moved exchange", users[2]: "moved exchange",
                ])
            #expect(try await platform.signIn(["Person 1", "Person 2"]) == [anew, users[1]])
            #expect(
                try await platform.count("identity", where: "team_id = '\(side.team)' AND user_id = '\(ID<User>(users[1])!.uuid)'") == 2)
        }
    }

    @Test("a failure of Apple postpones users, and a refusal of one user affects only that user")
    func trouble() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2", "Person 3"])
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "3 0 0 true")
            try await platform.transferApp(to: side)
            try await platform.simulator.fault([
                "endpoint": "usermigrationinfo", "fault": "status", "status": 503, "times": 3, "client_id": platform.own.servicesID,
            ])
            let throttled = try await platform.work("exchange", transfer)
            #expect(throttled.batch == "0 0 3 false")
            #expect(throttled.json["retry_after"] as? Int == 10)
            _ = try await platform.ownerPool.run(
                "UPDATE team_transfer_user SET transfer_sub = 'nobody' WHERE user_id = \(ID<User>(users[1]))")
            #expect(try await platform.work("exchange", transfer).batch == "2 1 0 true")
            #expect(try await platform.call("GET", "\(transfer)/users?state=failed").states == [users[1]: "failed refused_by_apple"])
        }
    }
}
