import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

/// The rows of memberships, with the copies of their accounts.
@Suite("Membership")
struct MembershipTests {
    @Test("a tenant's transaction adds a member, and the database adds the name and the address of the account")
    func copies() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addPerson("Ada")
            let acme = OwnerDatabase(platform.pool, owner: platform.acmeID)
            _ = try await acme.run(Membership.insert(ID(at: Date()), of: person, as: .builtIn(.owner), owner: platform.acmeID, at: Date()))
            let member = try await acme.run(Membership.all(of: person)).first(Membership.init)
            #expect(member?.name == "Ada" && member?.email == "ada@example.com")
            // The account itself is not visible to the tenant.
            #expect(try await acme.run(Person.find(person)).isEmpty)

            _ = try await platform.ownerPool.run(
                "UPDATE person SET name = 'Ada Lovelace', email = 'lovelace@example.com' WHERE id = \(person)")
            let renamed = try await acme.run(Membership.all(of: person)).first(Membership.init)
            #expect(renamed?.name == "Ada Lovelace" && renamed?.email == "lovelace@example.com")
            #expect((renamed?.updatedAt ?? .distantPast) > (member?.updatedAt ?? .distantFuture))
            _ = try await platform.ownerPool.run("DELETE FROM person WHERE id = \(person)")
            #expect(try await platform.count("membership") == 0)
        }
    }

    @Test("a new name waits for the end of a membership, which does not wait for the account")
    func lockOrder() async throws {
        try await TestPlatform.run { platform in
            let (member, person) = try await platform.addMember("Ada")
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: person, as: .builtIn(.viewer), owner: platform.globexID, at: Date()))
            let acme = OwnerDatabase(platform.pool, owner: platform.acmeID)
            let renaming = try await acme.transaction { db in
                _ = try await db.run("SELECT FROM membership WHERE id = \(member) FOR UPDATE")
                let renaming = Task { try await platform.ownerPool.run(Person.rename(person, to: "Ada Lovelace", at: Date())).affected }
                // It has the account, and needs the membership.
                try await eventually("the new name waits") {
                    let waiting: SQL = """
                        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """
                    return try await !platform.ownerPool.run(waiting).isEmpty
                }
                _ = try await db.run("DELETE FROM membership WHERE tenant_id = \(platform.acmeID) AND id = \(member)")
                return renaming
            }
            #expect(try await renaming.value == 1)
            let members = try await platform.ownerPool.run(Membership.all(of: person)).map(Membership.init)
            #expect(members.map(\.name) == ["Ada Lovelace"])
        }
    }

    @Test("an unknown person, a second membership, and a role that does not fit the owner are refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            func constraint(_ person: ID<Person>, _ role: Role, _ owner: UUID) async -> String? {
                let insert = Membership.insert(ID(at: Date()), of: person, as: role, owner: owner, at: Date())
                do { _ = try await platform.ownerPool.run(insert) } catch let error as DatabaseError { return error.constraint } catch {}
                return nil
            }
            #expect(await constraint(ID(at: Date()), .builtIn(.viewer), platform.acmeID) == "membership_person_exists")
            #expect(await constraint(member.person, .builtIn(.viewer), platform.acmeID) == "membership_person")
            #expect(await constraint(member.person, .builtIn(.platformOperator), platform.globexID) == "membership_operator")
            #expect(await constraint(member.person, .builtIn(.owner), .platform) == "membership_operator")
            let foreign = try await platform.call("POST", "/tenants/acme/roles", ["name": "Desk", "scopes": ["users:read"]]).resourceID
            let role = try #require(Role(foreign))
            #expect(await constraint(member.person, role, platform.globexID) == "membership_custom_role")
        }
    }
}
