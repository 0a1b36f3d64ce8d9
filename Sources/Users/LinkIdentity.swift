package import Access
package import Apple
package import Foundation
package import Postgres
import Tenancy

// A person can prove that a user with the same address is theirs, by a sign-in to that user. The address only leads to the question. It
// never links anything.
extension Identity {
    /// Selects the one user who has the address of a first sign-in, and who can sign in under this team.
    ///
    /// It selects no row if the identity is known, or if the address does not lead to exactly one user: Apple signs it, reports it as
    /// verified, and it is not a relay address, at both sign-ins. Two addresses are equal if all their bytes are, and only in ASCII.
    ///
    /// A user without an identity under this team could not sign in, and so not prove anything. The relink window of a connection is for
    /// such users. A transferred user is found by Apple's own identifier, if a transfer knows it.
    static func candidate(_ token: IDToken, of tenant: ID<Tenant>, connection: Connection, at now: Date) -> SQL? {
        guard let email = token.provenEmail else { return nil }
        let isMoving: SQL =
            transferred(token, of: tenant, connection: connection, at: now).map { "AND NOT EXISTS (SELECT \(part: $0))" } ?? ""
        return """
            SELECT u.id FROM tenant_user u
            WHERE \(part: hasAddress("u", email, of: tenant)) \(part: isMoving)
                AND EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.team_id = \(connection.teamID)
                        AND i.revoked_at IS DISTINCT FROM 'infinity' AND NOT i.is_asserted)
                AND NOT EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = \(tenant) AND i.team_id = \(connection.teamID) AND i.apple_sub = \(token.subject))
            """
    }

    /// Selects a user that the transaction has locked, if the address of a waiting identity still leads to this user.
    /// - Parameter askedAt: when the page asked. A sign-out of the user everywhere or of all users, or a removal of an identity since then, is
    ///   the last word.
    package static func confirm(_ user: ID<User>, for token: IDToken, of tenant: ID<Tenant>, askedAt: Date) -> SQL? {
        guard let email = token.provenEmail else { return nil }
        return """
            SELECT u.id FROM tenant_user u
            WHERE u.id = \(user) AND \(part: hasAddress("u", email, of: tenant))
                AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < \(askedAt))
                AND NOT \(part: Tenant.endedTokens(of: tenant, since: askedAt))
            """
    }

    /// Whether a row of the tenant's users is the only one with an address, as a condition.
    private static func hasAddress(_ row: SQL, _ email: String, of tenant: ID<Tenant>) -> SQL {
        """
        \(part: row).tenant_id = \(tenant) AND \(part: row).email_key = lower(\(email)) AND \(part: row).email = \(email)
            AND \(part: row).email_verified AND NOT \(part: row).is_private_email AND \(part: row).deleted_at IS NULL
            AND NOT EXISTS (SELECT FROM tenant_user o
                WHERE o.tenant_id = \(tenant) AND o.email_key = lower(\(email)) AND o.id <> \(part: row).id
                    AND o.email_verified AND NOT o.is_private_email AND o.deleted_at IS NULL)
        """
    }
}
