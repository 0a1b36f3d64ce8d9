import Access
import Foundation
import Mail
import Postgres

extension Invitation {
    /// Deletes the open invitations of people who lose scopes or the membership, with the mails of their links. Otherwise they could return by
    /// a link that they know. An operator invites to each tenant, so those of the platform are also those in all tenants.
    /// - Parameter keys: API keys that end with them, whose invitations are deleted too.
    /// - Returns: The deletions, and the events in the order of their owners, with the platform's last. The trails are locked last.
    static func withdraw(
        by people: [ID<Person>], _ keys: [ID<APIKey>] = [], owner: UUID, origin: AuditEvent.Origin, in db: Transaction, at now: Date
    ) async throws -> (deletions: [SQL], events: [(owner: UUID, event: SQL)]) {
        guard !people.isEmpty else { return ([], []) }
        let inviters = people.map(\.description) + keys.map(\.description)
        let rows = try await db.run(
            """
            SELECT tenant_id, id, email, role, role_id, invited_by, expires_at, accepted_at, created_at, updated_at, mail_id FROM invitation
            WHERE (tenant_id = \(owner) OR \(owner) = \(UUID.platform)) AND invited_by = ANY(\(inviters))
                AND accepted_at IS NULL
            ORDER BY tenant_id = \(UUID.platform), tenant_id, id FOR UPDATE
            """)
        var (deletions, events): ([SQL], [(owner: UUID, event: SQL)]) = ([], [])
        for row in rows {
            let (owner, invitation) = (try row.get("tenant_id", as: UUID.self), try Invitation(row))
            if let mail = invitation.mail { deletions.append(Mail.removal(mail, owner: owner)) }
            deletions.append(delete(invitation.id, of: owner))
            events.append((owner, try invitation.deletion(of: owner, by: origin, at: now)))
        }
        return (deletions, events)
    }
}
