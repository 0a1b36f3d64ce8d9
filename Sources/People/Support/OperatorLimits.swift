import Access
import Foundation
import Postgres
import Web

/// The members, invitations and roles of a tenant belong to its owners. An operator who is a person changes none of them, not even during a
/// support access: the operator could invite an account of its own, and so see the data of the tenant after the end of the access. It can
/// only delete an invitation.
///
/// A tenant without an owner has nobody else who could do it, so an operator invites the first one. An API key of an operator may do all of it,
/// because it sees the data of each tenant without a membership. It is the way to another owner if none can sign in.
extension ActingContext {
    /// Checks that the tenant has no owner, if the caller is an operator who is a person. The transaction has locked the members.
    /// - Throws: `Problem` 403.
    func requireNoOwner(in db: some StatementRunner) async throws {
        guard isOperatorAtTenant, try await !db.run(Membership.owners(of: owner)).isEmpty else { return }
        throw Problem(
            .insufficientScope,
            """
            The tenant has an owner, so an operator cannot change its members or roles, or invite anyone, not even during a support access. \
            Ask an owner. If no owner can sign in, use an operator's API key.
            """)
    }
}

extension TenantContext {
    /// Checks that an operator gives no operator a role, not even the own person.
    /// - Parameter person: a condition on the membership `o` of an operator.
    /// - Throws: `Problem` 409.
    private func requireNoOperator(_ person: SQL, _ pool: DatabasePool) async throws {
        guard isOperatorAtTenant else { return }
        // A tenant does not see who is an operator.
        let database = try platformDatabase(pool, to: "see who is an operator")
        guard try await database.run("SELECT FROM membership AS o WHERE o.tenant_id = \(UUID.platform) AND \(part: person)").isEmpty
        else {
            throw Problem(
                .conflict,
                """
                No operator gives a role in a tenant to an operator. Ask an owner of the tenant to give it. A support access shows the data of \
                the tenant without a role.
                """)
        }
    }

    /// - Parameter key: the address with `A` to `Z` in lowercase.
    func requireNoOperator(address key: String, _ pool: DatabasePool) async throws {
        try await requireNoOperator("lower(o.email COLLATE \"C\") = \(key)", pool)
    }

    func requireNoOperator(_ member: ID<Membership>, _ pool: DatabasePool) async throws {
        try await requireNoOperator(
            "o.person_id = (SELECT person_id FROM membership WHERE tenant_id = \(owner) AND id = \(member))", pool)
    }
}

extension Membership {
    /// Checks that an operator who deletes the account leaves no tenant without an owner, because nobody there could invite one afterwards. An
    /// operator's API key may do so.
    /// - Throws: `Problem` 409.
    func requireOtherOwner(of owner: UUID, toDeleteBy caller: Caller, in db: some StatementRunner) async throws {
        guard role == .builtIn(.owner), caller.actor.person != nil else { return }
        let owners = try await db.run(Membership.owners(of: owner))
        guard owners.count < 2 else { return }
        throw Problem(
            .conflict,
            """
            The person is the last owner of the tenant \(ID<Tenant>(owner)). Let the tenant invite another owner first, or delete the account \
            with an operator's API key.
            """)
    }
}
