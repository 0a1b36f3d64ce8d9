package import Access
package import Foundation
import Mail
package import Postgres

extension Invitation {
    /// The reason why a link makes nobody a member.
    package enum Refusal: Error {
        /// It was used or deleted, or it has expired.
        case gone
        /// The person is a member.
        case isMember
        /// The owner has as many members as it can have.
        case noRoom
    }

    /// Makes a person a member by the link, as a part of a transaction that sees the rows of all owners. It locks the trail of the owner, so
    /// only the trail of the platform may be locked after it.
    /// - Parameter origin: the person as the actor.
    /// - Throws: `Refusal`.
    package func join(
        _ person: ID<Person>, owner: UUID, by origin: AuditEvent.Origin, in db: Transaction, at now: Date
    ) async throws {
        let (_, members) = try await db.run(
            Membership.lockAll(of: owner), "SELECT person_id FROM membership WHERE tenant_id = \(owner)")
        let people = try members.map { try $0.get("person_id", as: ID<Person>.self) }
        guard !people.contains(person) else { throw Refusal.isMember }
        guard people.count < Membership.most else { throw Refusal.noRoom }
        guard try await db.run(accept(by: person, owner: owner, at: now)).affected == 1 else { throw Refusal.gone }
        var accepted = self
        (accepted.acceptedAt, accepted.updatedAt) = (now, now)
        // The person may be faster than the mail server.
        let removal = mail.map { [Mail.removal($0, owner: owner)] } ?? []
        _ = try await db.run(
            removal + [
                Membership.insert(ID(at: now), of: person, as: role, owner: owner, at: now),
                try AuditEvent.insert(
                    "acceptInvitation", of: id.description, owner: owner, by: origin, before: InvitationReply(self, at: now),
                    after: InvitationReply(accepted, at: now), at: now),
            ])
    }
}
