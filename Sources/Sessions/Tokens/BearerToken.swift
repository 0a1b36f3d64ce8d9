import APIs
import Access
package import ClientKeys
import Encoding
package import Foundation
package import Tenancy

extension OAuthError {
    /// One error for all defects, because naming the defect would help an attacker.
    package static let badAccessToken = OAuthError(
        .invalidToken, "The access token is malformed, expired or of an ended session.", challenge: "Bearer")
    package static let accessTokenMissing = OAuthError(
        .invalidToken, "Send the access token in the Authorization header.", challenge: "Bearer", isBare: true)
    fileprivate static func badAccessToken(sentWith proof: DPoPProof?) -> OAuthError {
        var error = badAccessToken
        if proof != nil { error.challenge = AccessToken.Scheme.dpop.rawValue }
        return error
    }

    /// A token that is bound to a key came without a proof of it, or one that is not bound came with a proof (RFC 9449, section 7.1).
    fileprivate static let otherKey = OAuthError(
        .invalidToken, "The access token is bound to another key, or to none. Send it with the scheme of its token_type.",
        challenge: "DPoP")
}

extension Tokens {
    /// The access token with which an application acts for the signed-in user (RFC 6750, section 3.1). The caller's statement must check
    /// that the session is still active, and then `use` the proof.
    /// - Parameter proof: the proof of the key in the request.
    package func bearerToken(
        _ presented: String, _ proof: DPoPProof?, _ tenant: TenantConfiguration, at now: Date
    ) async throws -> (AccessToken, Application) {
        guard let (token, application) = try await accessToken(presented, tenant, at: now),
            // A token for an API must not act here, because the API has a copy (RFC 9068, section 4).
            token.aud.isSame(as: token.iss)
        else { throw OAuthError.badAccessToken(sentWith: proof) }
        guard (token.scope ?? "").parts(at: " ").has("openid")
        else { throw OAuthError(.insufficientScope, "The access token lacks the scope openid.", challenge: "Bearer") }
        guard token.key == proof?.key else { throw OAuthError.otherKey }
        return (token, application)
    }

    /// Whether the API of a verified access token still lists its application. A token for the issuer needs no permission.
    func isPermitted(_ token: AccessToken, _ application: Application, _ tenant: Tenant) async throws -> Bool {
        // A tenant may have created an API in the moment in which the audience became the issuer of its domain.
        if tenant.addresses.hosts.isEmpty, token.aud.isSame(as: token.iss) { return true }
        let api = try await apis.apis(of: tenant.id).first { $0.audience.isSame(as: token.aud) }
        return api.map { $0.scopes(for: application.id) != nil } ?? token.aud.isSame(as: token.iss)
    }

    /// An access token of this tenant that has not expired, and its application. When the application is deleted, its tokens end.
    package func accessToken(_ presented: String, _ tenant: TenantConfiguration, at now: Date) async throws -> (AccessToken, Application)? {
        guard let token = try await signingKeys.verify(presented, of: tenant.tenant, issuers: endpoints.issuers(tenant.tenant), at: now),
            let application = tenant.applications[token.client_id]
        else { return nil }
        return (token, application)
    }
}
