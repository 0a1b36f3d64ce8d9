import Access
import Crypto
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A consent that stays valid for a user without an Apple refresh token ends with that user.
@Suite("Hand over grant")
struct HandOverGrantTests {
    @Test("a user who signed in natively without a code takes over the deleted user's token, and later revokes with it")
    func handedOver() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let phone = try await Phone.make(platform, tenant: 1)
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await phone.login("Grace Hopper", withCode: false))
            #expect(try await tokens(platform) == 1)
            try await platform.delete(acme)
            #expect(try await tokens(platform) == 0)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["kept used_elsewhere 0"])
            #expect(try await platform.consents("Grace Hopper", to: platform.shared.team))
            #expect(try await tokens(platform) == 1)
            #expect(try await platform.count("apple_revocation", where: "sealed_grant IS NOT NULL") == 0)
            // Another sign-in without a code removes nothing.
            #expect(try await phone.login("Grace Hopper", withCode: false).user == globex.user)
            #expect(try await globex.lasts())

            try await platform.delete(globex)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: globex) == ["revoked 1"])
            #expect(try await client(globex, platform) == platform.shared.servicesID)
            #expect(try await !platform.consents("Grace Hopper", to: platform.shared.team))
        }
    }

    @Test("the token passes through any number of users, and a user's own token replaces it")
    func further() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let phone = try await Phone.make(platform, tenant: 1)
            let initech = try await platform.anotherTenant("initech")
            let (acme, third) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", initech))
            let globex = try await phone.login("Grace Hopper", withCode: false)
            // Initech has a token. If Initech is purged, Globex needs its own.
            try await platform.delete(acme)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["kept used_elsewhere 0"])
            #expect(try await tokens(platform) == 2)
            #expect(try await phone.login("Grace Hopper", withCode: true).user == globex.user)
            #expect(try await platform.count("identity", where: "apple_client_id = '\(phone.bundleID)'") == 1)
            try await platform.delete(third)
            try await platform.runRevocations()
            #expect(try await platform.count("identity", where: "apple_client_id = '\(phone.bundleID)'") == 1)
            try await platform.delete(globex)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: globex) == ["revoked 1"])
            #expect(try await client(globex, platform) == phone.bundleID)
            #expect(try await !platform.consents("Grace Hopper", to: platform.shared.team))
        }
    }

    @Test("a person who signs up again without a code takes over the old user's token")
    func signedUpAgain() async throws {
        try await withRestingOutbox { platform in
            let phone = try await Phone.make(platform)
            let old = try await platform.login("Grace Hopper")
            try await platform.delete(old)
            let new = try await phone.login("Grace Hopper", withCode: false)
            #expect(new.user != old.user)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: old) == ["kept signed_up_again 0"])
            try await platform.delete(new)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: new) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
        }
    }

    @Test("if nobody can use the token, it waits and is checked daily, and the consent ends after the last user")
    func parked() async throws {
        try await withRestingOutbox { platform in
            try await platform.joinSharedTeam()
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", platform.globex))
            try await platform.withholdToken(globex)
            try await platform.delete(acme)
            // This is longer than the wait for a deleted connection.
            for _ in 0..<30 {
                #expect(try await platform.runRevocations() == 1)
                #expect(try await platform.fate(of: acme) == ["pending used_elsewhere 0"])
                try await platform.pass(86400 * 1.15)
            }
            #expect(try await tokens(platform) == 0)
            #expect(try await platform.consents("Grace Hopper", to: platform.shared.team))
            try await platform.delete(globex)
            #expect(try await platform.fate(of: globex) == ["impossible no_refresh_token 0"])
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: acme) == ["revoked 1"])
            #expect(try await platform.record(of: acme)["status"] as? String == "finished")
            #expect(try await !platform.consents("Grace Hopper", to: platform.shared.team))
        }
    }

    @Test("no tenant learns another tenant's application for a person; a token of its own ends the wait")
    func bundleID() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let bundleID = "com.example.acme.secret"
            _ = try await platform.ownerPool.run("UPDATE connection SET bundle_ids = \([bundleID]) WHERE team_id = \(platform.shared.team)")
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", platform.globex))
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET apple_client_id = \(bundleID) WHERE user_id = \(ID<User>(acme.user))")
            try await platform.withholdToken(globex)
            try await platform.delete(acme)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["pending used_elsewhere 0"])
            #expect(try await platform.count("identity", where: "apple_client_id = '\(bundleID)'") == 0)
            // Anybody can register the name and claim the team. Apple accepts no key of theirs for it.
            _ = try await platform.ownerPool.run("UPDATE tenant SET plan = 'enterprise' WHERE slug = 'globex'")
            let claimed = try await platform.call(
                "POST", "/tenants/globex/connections",
                [
                    "team_id": platform.shared.team, "services_id": "com.example.globex.claimed", "key_id": "A1B2C3D4E5",
                    "private_key": P256.Signing.PrivateKey().pemRepresentation, "bundle_ids": [bundleID],
                ])
            try #require(claimed.status == 201, "\(claimed.body)")
            try await platform.setBundleIDs([bundleID], of: platform.globex.applications[1])
            try await platform.pass(86400 * 1.15)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["pending used_elsewhere 0"])
            #expect(try await platform.count("identity", where: "apple_client_id = '\(bundleID)'") == 0)
            #expect(try await platform.login("Grace Hopper", platform.globex).user == globex.user)
            try await platform.pass(86400 * 1.15)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["kept used_elsewhere 0"])
            try await platform.delete(globex)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: globex) == ["revoked 1"])
            #expect(try await client(globex, platform) == platform.shared.servicesID)
        }
    }

    @Test("a user who signed in with the same application takes over the token")
    func sameBundleID() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let phone = try await Phone.make(platform, tenant: 1)
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await phone.login("Grace Hopper", withCode: false))
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET apple_client_id = \(phone.bundleID) WHERE user_id = \(ID<User>(acme.user))")
            try await platform.delete(acme)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["kept used_elsewhere 0"])
            try await platform.delete(globex)
            #expect(try await client(globex, platform) == phone.bundleID)
            #expect(try await platform.fate(of: globex) == ["pending 0"])
        }
    }

    @Test("if users with and without a token are deleted at the same moment, the consent ends")
    func racing() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            for round in 0..<6 {
                let person = "Racer without a code \(round)"
                let logins = [try await platform.login(person), try await platform.login(person, platform.globex)]
                try await platform.withholdToken(logins[1])
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for login in round.isMultiple(of: 2) ? logins : logins.reversed() {
                        tasks.addTask { try await platform.delete(login) }
                    }
                    try await tasks.waitForAll()
                }
                for login in logins {
                    try await eventually("it is finished") { try await platform.record(of: login)["status"] as? String == "finished" }
                }
                #expect(try await !platform.consents(person, to: platform.shared.team))
            }
        }
    }

    @Test("a hand-over waits for a user that is being deleted, and no token stays without a user")
    func deletedMeanwhile() async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", platform.globex))
            try await platform.withholdToken(globex)
            try await platform.delete(acme)
            let revoking = try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM identity FOR UPDATE")
                let revoking = Task { try await platform.runRevocations() }
                try await platform.waitForLock("it waits for the deletion")
                _ = try await db.run("DELETE FROM tenant_user WHERE id = \(ID<User>(globex.user))")
                return revoking
            }
            #expect(try await revoking.value == 1)
            #expect(try await platform.fate(of: acme) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.shared.team))
        }
    }

    private func tokens(_ platform: TestPlatform) async throws -> Int {
        try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL")
    }

    /// The client that the revocation named.
    private func client(_ login: TestPlatform.LoggedIn, _ platform: TestPlatform) async throws -> String? {
        (try await platform.record(of: login)["apple"] as? [[String: any Sendable]])?.first?["client_id"] as? String
    }
}
