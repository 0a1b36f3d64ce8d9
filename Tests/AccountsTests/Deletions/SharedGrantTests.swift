import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// Apple stores one consent per person and team, for any number of Espalier users.
@Suite("Shared grant")
struct SharedGrantTests {
    @Test("of three tenants under one team, one with its own connection, only the last deletion ends the consent")
    func threeTenants() async throws {
        try await withRestingOutbox { platform in
            try await platform.joinSharedTeam()
            let initech = try await platform.anotherTenant("initech")
            let logins = [
                try await platform.login("Grace Hopper", platform.globex), try await platform.login("Grace Hopper", initech),
                try await platform.login("Grace Hopper"),
            ]
            let team = platform.shared.team
            #expect(Set(try await subjects(platform)).count == 1)
            for login in logins.dropLast() {
                try await platform.delete(login)
                #expect(try await platform.runRevocations() == 1)
                #expect(try await platform.fate(of: login) == ["kept used_elsewhere 0"])
                #expect(try await platform.record(of: login)["status"] as? String == "finished")
                #expect(try await platform.consents("Grace Hopper", to: team))
                #expect(try await logins[2].lasts())
            }
            #expect(try await platform.count("apple_revocation", where: "sealed_grant IS NOT NULL") == 0)
            try await platform.delete(logins[2])
            try await platform.runRevocations()
            #expect(try await platform.fate(of: logins[2]) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: team))
        }
    }

    @Test("an identity with an ended consent or a deleted Apple account needs no grant", arguments: [false, true])
    func over(accountDeleted: Bool) async throws {
        try await withRestingOutbox { platform in
            try await platform.moveToShared()
            let (acme, globex) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", platform.globex))
            let user = ID<User>(globex.user)
            _ = try await platform.ownerPool.run(
                accountDeleted
                    ? "UPDATE tenant_user SET deleted_at = now(), erase_after = now() + interval '30 days' WHERE id = \(user)"
                    : "UPDATE identity SET revoked_at = now() WHERE user_id = \(user)")
            try await platform.delete(acme)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: acme) == ["revoked 1"])
        }
    }

    @Test("if all tenants delete the user at the same moment, at least one ends the consent")
    func racing() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let initech = try await platform.anotherTenant("initech")
            for round in 0..<5 {
                let person = "Racer \(round)"
                let logins = [
                    try await platform.login(person), try await platform.login(person, platform.globex),
                    try await platform.login(person, initech),
                ]
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for login in logins { tasks.addTask { try await platform.delete(login) } }
                    try await tasks.waitForAll()
                }
                var fates: [String] = []
                for login in logins {
                    try await eventually("it is finished") { try await platform.record(of: login)["status"] as? String == "finished" }
                    fates += try await platform.fate(of: login)
                }
                #expect(fates.contains("revoked 1"))
                #expect(Set(fates).isSubset(of: ["revoked 1", "kept used_elsewhere 0"]))
                #expect(try await !platform.consents(person, to: platform.shared.team))
            }
        }
    }

    @Test("if the person signs up again before the revocation, the consent stays for the new user and ends with it")
    func signedUpAgain() async throws {
        try await withRestingOutbox { platform in
            let old = try await platform.login("Grace Hopper")
            try await platform.delete(old)
            let new = try await platform.login("Grace Hopper")
            #expect(new.user != old.user)
            // Apple asked for no consent, and sent no name.
            #expect(try await platform.user(new.user)?.givenName == nil)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: old) == ["kept signed_up_again 0"])
            #expect(try await platform.consents("Grace Hopper", to: platform.own.team))
            #expect(try await new.lasts())

            try await platform.delete(new)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: new) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
            let third = try await platform.login("Grace Hopper")
            #expect(try await platform.user(third.user)?.givenName == "Grace")
        }
    }

    private func subjects(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run("SELECT apple_sub FROM identity").map { try $0.get("apple_sub") }
    }
}
