import Access
import Encoding
package import Foundation
import Postgres
package import Tenancy
package import Users

/// The user of an active session, with the times of the account.
package struct SignedInUser: Sendable {
    package let user: User
    package let createdAt: Date
    /// The start of the newest session.
    package let lastLoginAt: Date

    init(_ row: Row) throws {
        user = try User(row)
        createdAt = try row.get("user_created_at")
        lastLoginAt = try row.get("last_login_at")
    }

    static func find(ofSession session: ID<Session>, of tenant: ID<Tenant>, _ application: Application, at now: Date) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled,
            u.created_at AS user_created_at,
            (SELECT max(l.created_at) FROM session l WHERE l.tenant_id = \(tenant) AND l.user_id = u.id) AS last_login_at
        \(part: Session.active(session, of: tenant, application, at: now))
        """
    }
}

extension Tokens {
    /// The user of an access token that belongs to this application, and the token's claims, while the session is active.
    /// - Throws: `OAuthError`, the same for every defect.
    package func signedInUser(
        _ presented: String, of application: Application, _ tenant: TenantConfiguration, at now: Date
    ) async throws -> (AccessToken, SignedInUser) {
        guard let (token, owner) = try await accessToken(presented, tenant, at: now), owner.id == application.id,
            // A token for an API must not act here, because the API has a copy (RFC 9068, section 4).
            token.aud.isSame(as: token.iss), token.key == nil, (token.scope ?? "").parts(at: " ").has("openid")
        else { throw OAuthError.badAccessToken }
        let user = try await spent.refuse(.act(token.session, issuedAt: token.iat), by: .init(application, tenant.tenant), at: now) {
            let found = try await OwnerDatabase(pool, tenant: tenant.tenant.id).repeatable
                .run(SignedInUser.find(ofSession: token.session, of: tenant.tenant.id, application, at: now)).first(SignedInUser.init)
            guard let found else { throw OAuthError.badAccessToken }
            return found
        }
        return (token, user)
    }
}
