package import Access
import Encoding
package import Foundation
package import Mail
package import Pages
package import Postgres
package import Sealing
import Web

/// Mails to the owners of a tenant about acts of operators, and about the provider of its members.
package struct OwnerNotices: Sendable {
    typealias MemberMail = @Sendable (OperatorMail.MemberChange, _ isAboutOwner: Bool) -> OperatorMail?

    private let keyring: Keyring
    /// Nil if this server sends no mails.
    private let mail: MailSender?
    /// The URL of this server for browsers, without a slash at its end.
    private let publicURL: String
    /// The name of a tenant.
    private let organization: @Sendable (ID<Tenant>) async throws -> String?

    /// How long the server tries to send a mail, in seconds.
    private static let lifetime: TimeInterval = 86400

    package init(
        keyring: Keyring, mail: MailSender?, publicURL: String, organization: @escaping @Sendable (ID<Tenant>) async throws -> String?
    ) {
        (self.keyring, self.mail, self.publicURL, self.organization) = (keyring, mail, publicURL, organization)
    }

    /// The mails about changes of the members by an operator: about each one of a person, and about an API key only those of roles with all
    /// scopes of an owner, because programs change members all the time. Nil if the server sends no mails, or for another caller.
    /// - Parameter owner: the tenant. Nil for the one of the call.
    func memberMail(of call: some ActingContext, to owner: UUID? = nil, _ pool: DatabasePool) async throws -> MemberMail? {
        let owner = owner ?? call.owner
        guard mail != nil, owner != .platform, call.caller.isOperator else { return nil }
        let (tenant, actor) = (ID<Tenant>(owner), call.caller.actor)
        // An operator belongs to the platform, which the tenant's transaction does not see.
        let operators = OwnerDatabase(pool, owner: .platform)
        let find = actor.person.map { Membership.find($0, of: .platform) }
        let member = if let find { try await operators.run(find).first(Membership.init) } else { Membership?.none }
        let name = member?.email ?? actor.description
        let organization = try await organization(tenant) ?? tenant.description
        let host = Person.host(of: publicURL)
        return { change, isAboutOwner in
            guard isAboutOwner || actor.person != nil else { return nil }
            return OperatorMail(.membersChanged(by: name, change), organization: organization, of: host, in: .english)
        }
    }

    /// The mail about a notice. Nil if the server sends no mails.
    package func mail(_ notice: OperatorMail.Notice, to owner: UUID) async throws -> OperatorMail? {
        guard mail != nil, owner != .platform else { return nil }
        let tenant = ID<Tenant>(owner)
        return OperatorMail(
            notice, organization: try await organization(tenant) ?? tenant.description, of: Person.host(of: publicURL), in: .english)
    }

    /// The statements that queue a mail to the owners, as a part of the transaction of the act. An address that no mail reaches gets none.
    package func insertions(_ mail: OperatorMail?, of owner: UUID, in db: Transaction, at now: Date) async throws -> [SQL] {
        guard let mail else { return [] }
        return try await db.run(Membership.owners(of: owner)).compactMap { row in
            guard let recipient = MailAddress(try row.get("email")) else { return nil }
            let message = try Mail.Message(
                to: recipient, subject: mail.subject, text: mail.text, html: mail.html,
                deliverBefore: now.addingTimeInterval(Self.lifetime))
            return Mail.insertion(message, owner: owner, keyring: keyring, at: now)
        }
    }
}

extension Role {
    /// The name of the role in a mail to the owners.
    func title(of owner: UUID, in db: Transaction) async throws -> String {
        switch self {
        case .builtIn(let role): Language.english.text(role.text)
        case .custom(let id): try await db.run(CustomRole.find(id, of: owner)).first(CustomRole.init)?.name ?? description
        }
    }
}
