import Access
import Apple
import Foundation
import Postgres
import Tenancy

extension Identity {
    /// Links a first sign-in under this team to the same person's user from another team, while the connection's relink window is open.
    /// This runs in the transaction of `SaveUser`, before it saves the user. It is empty, and costs the database nothing, without an open
    /// window or a proven email address.
    ///
    /// The owner of an email address gets the user that has it. So all of these must be true:
    /// - Apple signs the address, reports it as verified, and it is not a relay address.
    /// - Exactly one user of the tenant has the address, verified and not as a relay address.
    /// - That user has an identity under another team and none under this one. An identity that only the tenant asserts does not count.
    ///
    /// Two addresses are equal if all their bytes are, and only in ASCII. An address that differs only in case counts as another user's. In
    /// all other cases the sign-in creates a new user.
    ///
    /// If two Apple accounts sign in at once, the first statement lets one of them wait for the other. The second statement then sees the
    /// identity of the first, does nothing, and `SaveUser` creates a new user.
    static func relink(_ token: IDToken, _ name: AppleUser?, asked: Asked, connection: Connection, at now: Date) -> [SQL] {
        guard connection.isRelinking(at: now), let email = token.provenEmail else { return [] }
        let (tenant, team) = (asked.tenant, connection.teamID)
        let candidate: SQL = """
            SELECT u.id FROM tenant_user u
            WHERE u.tenant_id = \(tenant) AND u.email_key = lower(\(email)) AND u.email = \(email)
                AND u.email_verified AND NOT u.is_private_email AND u.deleted_at IS NULL
                AND EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.team_id <> \(team) AND NOT i.is_asserted)
                AND NOT EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.team_id = \(team) AND NOT i.is_asserted)
                AND NOT EXISTS (SELECT FROM tenant_user o
                    WHERE o.tenant_id = u.tenant_id AND o.email_key = lower(\(email)) AND o.id <> u.id
                        AND o.email_verified AND NOT o.is_private_email)
                AND NOT EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = u.tenant_id AND i.team_id = \(team) AND i.apple_sub = \(token.subject))
            """
        let relink: SQL = """
            WITH candidate AS (\(part: candidate)),
            relinked AS (
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT \(tenant), \(team), \(token.subject), id, \(token.audience), \(now), \(now) FROM candidate
                ON CONFLICT DO NOTHING
                RETURNING user_id),
            -- Apple sends the name once per team, and the other team may not have received it.
            named AS (
                UPDATE tenant_user u SET given_name = \(name?.givenName), family_name = \(name?.familyName) FROM relinked
                WHERE u.tenant_id = \(tenant) AND u.id = relinked.user_id AND u.given_name IS NULL AND u.family_name IS NULL)
            \(part: AuditEvent.insertion(
                "relinkUser", owner: tenant.uuid, actor: asked.application.description, subject: "public_id('user', user_id)",
                before: "jsonb_build_object('team_ids', teams.names)",
                after: """
                    jsonb_build_object('team_ids', teams.names || to_jsonb(\(team)), 'connection_id', \(connection.id.description))
                    """,
                source: """
                    FROM relinked CROSS JOIN LATERAL (
                        SELECT jsonb_agg(i.team_id ORDER BY i.created_at) AS names FROM identity i
                        WHERE i.tenant_id = \(tenant) AND i.user_id = relinked.user_id) AS teams
                    """, at: now))
            """
        // The lock waits for a concurrent change or deletion of the user, and for another sign-in that takes over the user.
        return ["\(part: candidate) FOR UPDATE OF u", relink]
    }
}

extension IDToken {
    /// The email address, if it proves its owner. It must be signed, verified, not a relay address, and without characters that look like
    /// others.
    var provenEmail: String? {
        guard let email, emailVerified == true, isPrivateEmail != true, email.contains("@"),
            email.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !email.lowercased().hasSuffix("@privaterelay.appleid.com")
        else { return nil }
        return email
    }
}
