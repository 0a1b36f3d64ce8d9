package import APIs
package import Access
import Encoding
package import Foundation
package import Postgres
package import Tenancy
package import Users

/// The consent of a user to an application of a third party, for scopes and APIs.
///
/// It ends when the tenant revokes it, and together with everything else that a user or a tenant got until a time (`tokens_valid_after`).
package struct Consent: Identified, Sendable {
    package static let idPrefix = "consent"

    /// Records what a user allows, with its audit event. It writes nothing if the user has allowed all of it before, so the same form again
    /// does not fill the trail. Earlier scopes stay if they still count, except for other APIs. APIs may have scopes of the same name, so a
    /// union would allow more than the user did.
    /// - Parameter askedAt: when the user was asked. A later revocation is the last word.
    /// - Returns: a row if the consent counts.
    package static func give(
        by user: ID<User>, to application: ID<Tenancy.Application>, _ tenant: ID<Tenant>, scope: String, apis: [ID<API>],
        askedAt: Date, at now: Date
    ) -> SQL {
        let (scopes, ids) = (scope.parts(at: " ").map(String.init).sorted(), apis.map(\.uuid))
        let counts: SQL = "(\(part: counts("c", of: user, tenant)))"
        let isForSame: SQL = "(c.api_ids @> EXCLUDED.api_ids AND c.api_ids <@ EXCLUDED.api_ids OR '{}' IN (c.api_ids, EXCLUDED.api_ids))"
        return """
            WITH given AS (
                INSERT INTO consent AS c (tenant_id, user_id, application_id, id, scopes, api_ids, given_at, created_at, updated_at)
                VALUES (\(tenant), \(user), \(application), \(ID<Consent>(at: now)), \(scopes), \(ids), \(now), \(now), \(now))
                ON CONFLICT (tenant_id, user_id, application_id) DO UPDATE SET given_at = EXCLUDED.given_at,
                    scopes = CASE WHEN \(part: counts) AND \(part: isForSame)
                        THEN ARRAY(SELECT DISTINCT unnest(c.scopes || EXCLUDED.scopes) ORDER BY 1) ELSE EXCLUDED.scopes END,
                    api_ids = CASE WHEN \(part: counts) AND \(part: isForSame)
                        THEN ARRAY(SELECT DISTINCT unnest(c.api_ids || EXCLUDED.api_ids) ORDER BY 1) ELSE EXCLUDED.api_ids END,
                    updated_at = GREATEST(\(now), c.updated_at + interval '1 microsecond')
                WHERE NOT (\(part: counts) AND c.scopes @> EXCLUDED.scopes AND c.api_ids @> EXCLUDED.api_ids)
                    AND (c.revoked_at IS NULL OR c.revoked_at < \(askedAt))
                RETURNING id, scopes, api_ids),
            audited AS (\(part: AuditEvent.insertion(
                "consent.given", owner: tenant.uuid, actor: application.description, subject: "public_id('consent', id)",
                after: """
                    jsonb_build_object('id', public_id('consent', id), 'object', 'consent', 'user_id', \(user.description)::text,
                        'application_id', \(application.description)::text, 'scope', array_to_string(scopes, ' '),
                        'api_ids', (SELECT COALESCE(jsonb_agg(public_id('api', api)), '[]') FROM unnest(api_ids) AS api))
                    """,
                source: "FROM given", at: now)))
            SELECT WHERE NOT EXISTS (SELECT FROM consent WHERE tenant_id = \(tenant) AND user_id = \(user)
                AND application_id = \(application) AND revoked_at >= \(askedAt))
            """
    }

    /// Selects a row if the user's consent counts, for at least these scopes and APIs.
    package static func covering(
        _ user: ID<User>, _ application: ID<Tenancy.Application>, _ tenant: ID<Tenant>, scope: String, apis: [ID<API>]
    ) -> SQL {
        """
        SELECT 1 FROM consent AS c
        WHERE c.tenant_id = \(tenant) AND c.user_id = \(user) AND c.application_id = \(application)
            AND c.scopes @> string_to_array(\(scope), ' ') AND c.api_ids @> \(apis.map(\.uuid)) AND \(part: counts("c", of: user, tenant))
        """
    }

    /// Whether a row counts, as a condition.
    static func counts(_ row: SQL, of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        (\(part: row).revoked_at IS NULL OR \(part: row).revoked_at < \(part: row).given_at)
            AND EXISTS (SELECT FROM (\(part: User.live)) AS u, (\(part: Tenant.limits)) AS t
                WHERE u.tenant_id = \(tenant) AND u.id = \(user) AND t.id = \(tenant)
                    AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < \(part: row).given_at)
                    AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < \(part: row).given_at))
        """
    }
}
