package import Access
package import Foundation
package import Postgres
import Web

/// A person as a member of a tenant, or as an operator of the platform.
///
/// It belongs to the tenant, and the account (`Person`) to the platform. So the tenant sees a copy of the name and the address, which
/// triggers of the database write.
package struct Membership: Identified, Sendable {
    package static let idPrefix = "member"

    package let id: ID<Membership>
    package let person: ID<Person>
    package var role: Role
    package let name, email: String
    package let createdAt: Date
    package var updatedAt: Date

    /// How many members an owner can have.
    package static let most = 1000
    /// How many owners get a mail about an act of an operator.
    static let mostNotified = 50
}

// MARK: Rows

extension Membership {
    package init(_ row: Row) throws {
        id = try row.get("id")
        person = try row.get("person_id")
        role = try Role(row)
        name = try row.get("name")
        email = try row.get("email")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    /// An owner changes its members, invitations and roles one after another. Otherwise two requests could remove the last two owners, or
    /// both create the last invitation.
    package static func lockAll(of owner: UUID) -> SQL {
        "SELECT pg_advisory_xact_lock(1835363682, hashtext(\(owner)::text))"
    }

    /// The membership, locked for a transaction that changes it.
    static func lock(_ id: ID<Membership>, of owner: UUID) -> SQL {
        """
        SELECT id, person_id, role, role_id, name, email, created_at, updated_at FROM membership
        WHERE tenant_id = \(owner) AND id = \(id) FOR UPDATE
        """
    }

    /// The membership with an address.
    /// - Parameter key: the address with `A` to `Z` in lowercase.
    package static func find(address key: String, of owner: UUID) -> SQL {
        """
        SELECT id, person_id, role, role_id, name, email, created_at, updated_at FROM membership
        WHERE tenant_id = \(owner) AND lower(email COLLATE "C") = \(key)
        """
    }

    /// The membership of a person.
    package static func find(_ person: ID<Person>, of owner: UUID) -> SQL {
        """
        SELECT id, person_id, role, role_id, name, email, created_at, updated_at FROM membership
        WHERE tenant_id = \(owner) AND person_id = \(person)
        """
    }

    /// The addresses of the owners of a tenant, for mails.
    static func owners(of owner: UUID) -> SQL {
        "SELECT email FROM membership WHERE tenant_id = \(owner) AND role = \(BuiltInRole.owner) ORDER BY id LIMIT \(mostNotified)"
    }

    static func page(_ page: PageRequest, of owner: UUID) -> SQL {
        """
        SELECT id, person_id, role, role_id, name, email, created_at, updated_at FROM membership
        WHERE tenant_id = \(owner) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// The memberships of a person, of all owners.
    package static func all(of person: ID<Person>) -> SQL {
        """
        SELECT tenant_id, id, person_id, role, role_id, name, email, created_at, updated_at FROM membership WHERE person_id = \(person)
        ORDER BY tenant_id
        """
    }

    /// The memberships of several people, of all owners.
    static func all(of people: [ID<Person>]) -> SQL {
        """
        SELECT tenant_id, id, person_id, role, role_id, name, email, created_at, updated_at FROM membership
        WHERE person_id = ANY(\(people)) ORDER BY tenant_id
        """
    }

    /// Adds a member. The schema refuses a person who is one (`membership_person`), and an unknown one (`membership_person_exists`). It
    /// adds the name and the address.
    package static func insert(
        _ id: ID<Membership>, of person: ID<Person>, as role: Role, owner: UUID, at now: Date
    ) -> SQL {
        """
        INSERT INTO membership (tenant_id, id, person_id, role, role_id, created_at, updated_at)
        VALUES (\(owner), \(id), \(person), \(role.name), \(role.customID), \(now), \(now))
        """
    }

    /// Whether this member has a role that no other member of the owner has.
    package func isOnly(_ role: BuiltInRole, of owner: UUID, in db: some StatementRunner) async throws -> Bool {
        guard self.role == .builtIn(role) else { return false }
        return try await db.run(
            "SELECT 1 FROM membership WHERE tenant_id = \(owner) AND role = \(role) AND id <> \(id) LIMIT 1"
        ).isEmpty
    }

    /// Checks that an owner remains without this member. An operator's API key may remove the last one, for example to end a tenant.
    /// - Throws: `Problem` 409.
    func requireOtherOwner(_ call: some ActingContext, in db: some StatementRunner) async throws {
        guard !call.caller.isOperator, try await isOnly(.owner, of: call.owner, in: db) else { return }
        throw Problem(.conflict, "This is the last owner. Give another member the role `owner` first.")
    }
}
