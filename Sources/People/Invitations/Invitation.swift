package import Access
import Encoding
package import Foundation
package import Postgres
package import Sealing
import Web

/// A link with which one person becomes a member of a tenant, or an operator: `inv_` and 43 random base62 characters (256 bits).
///
/// Only keyed digests are stored. The first digest finds the row. The second one is bound to the owner and the ID, and proves that the row
/// is the issued one. So nobody can make a link of a lower role into one of a higher role, or into another tenant's.
package struct Invitation: Identified, Sendable {
    package static let idPrefix = "invitation"

    package enum State: String, Encodable, Sendable {
        /// The link can be opened.
        case pending
        /// A person has become a member with it. It cannot be used again.
        case accepted
        case expired
    }

    package let id: ID<Invitation>
    package let email: String
    package let role: Role
    /// The actor that created it, as in the audit trail.
    package let invitedBy: String
    package let expiresAt: Date
    package var acceptedAt: Date?
    package let createdAt: Date
    package var updatedAt: Date
    /// The mail with the link. Nil if the link is copied, so that it proves no mailbox.
    package let mail: UUID?

    package func state(at now: Date) -> State {
        if acceptedAt != nil { return .accepted }
        return now < expiresAt ? .pending : .expired
    }

    /// How long a link is valid by default, and at most, in seconds. An operator's link is the most powerful, so it is valid for a day.
    static let lifetime: TimeInterval = 7 * 86400
    static let longestLifetime: TimeInterval = 30 * 86400
    static let lifetimeOfOperators: TimeInterval = 86400
    /// How many open invitations an owner can have.
    static let most = 100

    private static let prefix = "inv_"
    private static let characters = 43
    private static let digestPurpose = "invitation"

    static func makeToken(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret(prefix + Base62.random(characters, using: &generator))
    }

    /// The digests of the token of a link. Nil for a text that is not a token, so that it costs no statement.
    package static func digests(of token: String, with keyring: Keyring) -> [[UInt8]]? {
        guard token.utf8.count == prefix.utf8.count + characters, token.begins(with: prefix) else { return nil }
        return keyring.digests(Array(token.utf8), purpose: digestPurpose)
    }

    /// The link with a token. It is a secret.
    static func link(_ token: Secret, publicURL: String) -> String {
        "\(publicURL)/account/invitation?token=\(token.reveal())"
    }

    /// The row that the digest is bound to.
    private static func context(_ id: ID<Invitation>, owner: UUID) -> SealingContext {
        SealingContext(tenant: owner, table: "invitation", column: "digest", row: id.description)
    }
}

// MARK: Rows

extension Invitation {
    package init(_ row: Row) throws {
        id = try row.get("id")
        email = try row.get("email")
        role = try Role(row)
        invitedBy = try row.get("invited_by")
        expiresAt = try row.get("expires_at")
        acceptedAt = try row.get("accepted_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
        mail = try row.get("mail_id")
    }

    /// The invitation, locked for a transaction that changes it.
    static func lock(_ id: ID<Invitation>, of owner: UUID) -> SQL {
        """
        SELECT id, email, role, role_id, invited_by, expires_at, accepted_at, created_at, updated_at, mail_id FROM invitation
        WHERE tenant_id = \(owner) AND id = \(id) FOR UPDATE
        """
    }

    /// The invitation of an address that was not accepted. There is at most one.
    /// - Parameter key: the address with `A` to `Z` in lowercase.
    package static func open(address key: String, of owner: UUID) -> SQL {
        """
        SELECT id, email, role, role_id, invited_by, expires_at, accepted_at, created_at, updated_at, mail_id FROM invitation
        WHERE tenant_id = \(owner) AND email_key = \(key) AND accepted_at IS NULL FOR UPDATE
        """
    }

    static func page(_ page: PageRequest, of owner: UUID) -> SQL {
        """
        SELECT id, email, role, role_id, invited_by, expires_at, accepted_at, created_at, updated_at, mail_id FROM invitation
        WHERE tenant_id = \(owner) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    func insert(_ token: Secret, owner: UUID, keyring: Keyring) -> SQL {
        let digest = keyring.digest(token.revealBytes(), purpose: Self.digestPurpose)
        let bound = keyring.bind(digest, to: Self.context(id, owner: owner))
        return """
            INSERT INTO invitation (tenant_id, id, email, role, role_id, digest, bound_digest, mail_id, invited_by, expires_at, created_at,
                updated_at)
            VALUES (\(owner), \(id), \(email), \(role.name), \(role.customID), \(digest), \(bound), \(mail), \(invitedBy), \(expiresAt),
                \(createdAt), \(updatedAt))
            """
    }

    static func delete(_ id: ID<Invitation>, of owner: UUID) -> SQL {
        "DELETE FROM invitation WHERE tenant_id = \(owner) AND id = \(id)"
    }
}

// MARK: The link

extension Invitation {
    /// Selects the invitation of a link, of any owner.
    package static func find(digests: [[UInt8]]) -> SQL {
        """
        SELECT tenant_id, id, email, role, role_id, invited_by, expires_at, accepted_at, created_at, updated_at, mail_id, digest, bound_digest
        FROM invitation WHERE digest = ANY(\(digests))
        """
    }

    /// Whether the row is the one that the link was issued for.
    /// - Parameter row: of `find(digests:)`.
    package func isProven(_ row: Row, by digests: [[UInt8]], with keyring: Keyring, at now: Date) throws -> Bool {
        let digest: [UInt8] = try row.get("digest")
        let context = Self.context(id, owner: try row.get("tenant_id"))
        let binding = keyring.binding(of: digest, try row.get("bound_digest", as: [UInt8].self), to: context)
        return keyring.authenticates(digests, digest: digest, binding, at: now)
    }

    /// Uses the link up. It affects no row if the link was used, deleted or has expired since it was read, so it works once.
    package func accept(by person: ID<Person>, owner: UUID, at now: Date) -> SQL {
        """
        UPDATE invitation SET accepted_at = \(now), person_id = \(person), updated_at = \(now.asChange(after: updatedAt))
        WHERE tenant_id = \(owner) AND id = \(id) AND accepted_at IS NULL AND expires_at > \(now)
        """
    }

    /// Deletes invitations that expired before a time, including accepted ones.
    static func forgetExpired(before end: Date, upTo batch: Int) -> SQL {
        """
        DELETE FROM invitation AS i USING (
            SELECT tenant_id, id FROM invitation WHERE expires_at < \(end) ORDER BY expires_at LIMIT \(batch)) AS old
        WHERE i.tenant_id = old.tenant_id AND i.id = old.id
        """
    }
}
