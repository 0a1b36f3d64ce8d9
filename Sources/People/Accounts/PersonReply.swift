import Access
import Foundation

/// An account as operators and the audit trail see it, without any secret.
struct PersonReply: Encodable, Sendable {
    struct OwnMembership: Encodable, Sendable {
        let id: ID<Membership>
        /// Nil for an operator.
        let tenant_id: ID<Tenant>?
        let role: String
    }

    let id: ID<Person>
    let object = "person"
    let name, email: String
    let email_proved_at: Date?
    let has_password, has_authenticator: Bool
    let recovery_codes, passkeys, sessions: Int
    let memberships: [OwnMembership]
    let created_at, updated_at: Date

    init(_ listed: ListedPerson) {
        let person = listed.person
        (id, name, email, email_proved_at) = (person.id, person.name, person.email, person.emailProvedAt)
        (has_password, has_authenticator) = (listed.hasPassword, listed.hasAuthenticator)
        (recovery_codes, passkeys, sessions) = (listed.recoveryCodes, listed.passkeys, listed.sessions)
        memberships = listed.memberships.map { owner, membership in
            OwnMembership(
                id: membership.id, tenant_id: owner == .platform ? nil : ID(owner), role: membership.role.description)
        }
        (created_at, updated_at) = (person.createdAt, person.updatedAt)
    }
}
