import Access
import Apple
import Foundation
import Postgres
import Tenancy
import Users

extension Identity {
    /// Lets a first sign-in under this team take over the user that the same person is under another one, while the
    /// connection's relink window is open. Goes before `keep`, in its transaction. Nil, and no work for the database, where
    /// there is no window or no e-mail that proves anything.
    ///
    /// Who controls an e-mail address gets the user that has it, so all of this must hold: Apple signs the address, calls it
    /// verified, and it is no relay's; exactly one user of the tenant has it, verified and no relay's either; that user has an
    /// identity under another team and none under this one. Addresses are the same when they are equal byte by byte, and only
    /// in ASCII; one that differs in case alone counts as a second user's. In any other case the sign-in makes a new user.
    ///
    /// Two Apple accounts at once: the key `identity_by_user` lets one have the user. The other's `INSERT` does nothing, and
    /// `keep` makes it a new one.
    static func relink(_ token: IDToken, _ name: AppleUser?, asked: Asked, connection: Connection, at now: Date) -> SQL? {
        guard connection.isRelinking(at: now), let email = token.provenEmail else { return nil }
        let (tenant, team) = (asked.tenant, connection.teamID)
        return """
            WITH candidate AS (
                SELECT u.id FROM tenant_user u
                WHERE u.tenant_id = \(tenant) AND u.email_key = lower(\(email)) AND u.email = \(email)
                    AND u.email_verified AND NOT u.is_private_email AND u.deleted_at IS NULL
                    AND EXISTS (SELECT FROM identity i
                        WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.team_id <> \(team))
                    AND NOT EXISTS (SELECT FROM identity i
                        WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.team_id = \(team))
                    AND NOT EXISTS (SELECT FROM tenant_user o
                        WHERE o.tenant_id = u.tenant_id AND o.email_key = lower(\(email)) AND o.id <> u.id
                            AND o.email_verified AND NOT o.is_private_email)
                    AND NOT EXISTS (SELECT FROM identity i
                        WHERE i.tenant_id = u.tenant_id AND i.team_id = \(team) AND i.apple_sub = \(token.subject))
                -- Still so when whoever changes or deletes the user at this moment is done.
                FOR UPDATE OF u),
            relinked AS (
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT \(tenant), \(team), \(token.subject), id, \(token.audience), \(now), \(now) FROM candidate
                ON CONFLICT DO NOTHING
                RETURNING user_id),
            -- Apple sends the name to each team once: under the other one it may never have come.
            named AS (
                UPDATE tenant_user u SET given_name = \(name?.givenName), family_name = \(name?.familyName) FROM relinked
                WHERE u.tenant_id = \(tenant) AND u.id = relinked.user_id AND u.given_name IS NULL AND u.family_name IS NULL)
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, before, after)
            SELECT \(tenant), \(ID<AuditEvent>(at: now)), \(now), \(asked.application.description), 'relinkUser',
                public_id('user', user_id),
                jsonb_build_object('team_ids', teams.names),
                jsonb_build_object('team_ids', teams.names || to_jsonb(\(team)), 'connection_id', \(connection.id.description))
            FROM relinked CROSS JOIN LATERAL (
                SELECT jsonb_agg(i.team_id ORDER BY i.created_at) AS names FROM identity i
                WHERE i.tenant_id = \(tenant) AND i.user_id = relinked.user_id) AS teams
            """
    }
}

extension IDToken {
    /// The e-mail address, if it proves whose it is: signed, verified, the user's own and not a relay's, and of characters that
    /// cannot be mistaken for one another.
    var provenEmail: String? {
        guard let email, emailVerified == true, isPrivateEmail != true, email.contains("@"),
            email.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !email.lowercased().hasSuffix("@privaterelay.appleid.com")
        else { return nil }
        return email
    }
}
