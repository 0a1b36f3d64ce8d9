package import Access
import Encoding
package import Foundation
package import Mail
package import Pages
package import Postgres
package import Sealing
import Web

extension Invitation {
    /// A new invitation, and its link.
    package struct Issued: Sendable {
        package let invitation: Invitation
        package let link: String
    }

    /// The sending of the link.
    package struct Mailing: Sendable {
        let sender: MailSender
        /// The name of the tenant.
        let organization: String
        /// The frame of the request, for its language.
        let frame: PageFrame
    }

    /// Creates an invitation. An expired one of the same address is deleted.
    /// - Parameters:
    ///   - action: the `operationId` for the audit trail.
    ///   - mailing: sends the link. Nil for a link that is copied.
    ///   - admit: checks the caller in the transaction.
    /// - Throws: `Problem` 409 for an address that is a member or has an open invitation, or without room for another one. `Problem` 429 if
    ///   the owner has sent too many mails. The errors of `admit`.
    package static func issue(
        to address: MailAddress, as role: Role, until expiresAt: Date, action: String, by origin: AuditEvent.Origin, publicURL: String,
        keyring: Keyring, in database: OwnerDatabase, at now: Date, mailing: Mailing? = nil,
        admit: @Sendable (Transaction) async throws -> Void = { _ in }
    ) async throws -> Issued {
        var random = SystemRandomNumberGenerator()
        let token = makeToken(using: &random)
        let invitation = Invitation(
            id: ID(at: now), email: address.address, role: role, invitedBy: origin.actor, expiresAt: expiresAt, acceptedAt: nil,
            createdAt: now, updatedAt: now, mail: mailing == nil ? nil : UUID())
        let link = link(token, publicURL: publicURL)
        let (owner, key) = (database.owner, invitation.email.asciiLowercased)
        let event = try AuditEvent.insert(
            action, of: invitation.id.description, owner: owner, by: origin, after: InvitationReply(invitation, at: now), at: now)
        try await database.transaction { db in
            let (_, members, open, waiting) = try await db.run(
                Membership.lockAll(of: owner), Membership.find(address: key, of: owner), Invitation.open(address: key, of: owner),
                "SELECT count(*) AS n FROM invitation WHERE tenant_id = \(owner) AND accepted_at IS NULL AND expires_at > \(now)")
            try await admit(db)
            guard members.isEmpty
            else { throw Problem(.conflict, "A member has this address.", fields: [.init("email", "It belongs to a member.")]) }
            var (deletions, events): ([SQL], [SQL]) = ([], [event])
            if let earlier = try open.first(Invitation.init) {
                guard earlier.state(at: now) == .expired
                else {
                    throw Problem(
                        .conflict, "The address has the open invitation \(earlier.id). Delete it, and invite the person again.",
                        fields: [.init("email", "It has the invitation \(earlier.id).")])
                }
                deletions = [Invitation.delete(earlier.id, of: owner)]
                events.insert(try earlier.deletion(of: owner, by: .system, at: now), at: 0)
            }
            guard try waiting[0].get("n", as: Int.self) < Invitation.most
            else { throw Problem(.conflict, "There can be at most \(Invitation.most) open invitations. Delete an unused one.") }
            let mail = try await mailing?.insertion(of: invitation, link, to: address, owner: owner, keyring: keyring, in: db, at: now)
            // The trail is locked last.
            let insertions = (mail.map { [$0] } ?? []) + [invitation.insert(token, owner: owner, keyring: keyring)]
            _ = try await db.run(deletions + insertions + events)
        }
        return Issued(invitation: invitation, link: link)
    }
}

extension Invitation.Mailing {
    /// The statement that queues the mail. It is the last one that can refuse the invitation.
    fileprivate func insertion(
        of invitation: Invitation, _ link: String, to address: MailAddress, owner: UUID, keyring: Keyring, in db: Transaction, at now: Date
    ) async throws -> SQL? {
        guard let id = invitation.mail else { return nil }
        var (name, text): (String?, Text) = (nil, .roleViewer)
        switch invitation.role {
        case .builtIn(let role): text = role.text
        case .custom(let id): name = try await db.run(CustomRole.find(id, of: owner)).first(CustomRole.init)?.name
        }
        guard sender.take(of: owner).isGranted else {
            throw Problem(
                .rateLimited, "The tenant has sent too many mails. Retry in a minute, or set `send_mail` to false and copy the link.")
        }
        let letter = InvitationMail(
            link: link, of: Person.host(of: link), until: invitation.expiresAt, organization: organization, role: name, text, in: frame)
        let message = try Mail.Message(
            to: address, subject: letter.subject, text: letter.text, html: letter.html,
            deliverBefore: min(invitation.expiresAt, now.addingTimeInterval(86400)))
        return Mail.insertion(message, id: id, owner: owner, keyring: keyring, at: now)
    }
}

extension BuiltInRole {
    /// The name of the role on pages and in mails.
    package var text: Text {
        switch self {
        case .platformOperator: .roleOperator
        case .owner: .roleOwner
        case .admin: .roleAdmin
        case .developer: .roleDeveloper
        case .billing: .roleBilling
        case .viewer: .roleViewer
        }
    }
}
