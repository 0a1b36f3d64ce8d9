package import Access
package import Foundation
package import Postgres

extension Membership {
    package enum LeaveRefusal: Error {
        /// No other member has the role `owner`.
        case lastOwner
        /// The membership has ended.
        case ended
    }

    /// Ends the membership of a person who leaves, in a transaction that sees the rows of all owners. The last owner of a tenant stays.
    /// - Throws: `LeaveRefusal`.
    package static func leave(
        _ id: ID<Membership>, of person: ID<Person>, owner: UUID, by origin: AuditEvent.Origin, in db: Transaction, at now: Date
    ) async throws {
        let (_, found) = try await db.run(lockAll(of: owner), lock(id, of: owner))
        guard let member = try found.first(Membership.init), member.person == person else { throw LeaveRefusal.ended }
        if try await member.isOnly(.owner, of: owner, in: db) { throw LeaveRefusal.lastOwner }
        let (withdrawals, events) = try await Invitation.withdraw(by: [person], owner: owner, origin: origin, in: db, at: now)
        _ = try await db.run(
            withdrawals + ["DELETE FROM membership WHERE tenant_id = \(owner) AND id = \(id)"] + events.map(\.event) + [
                try AuditEvent.insert("leaveTenant", of: id.description, owner: owner, by: origin, before: MemberReply(member), at: now)
            ])
    }
}
