import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    let sub: String
    let claims: UserClaims

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sub, forKey: .sub)
        try claims.encode(to: encoder)
    }

    private enum Key: CodingKey { case sub }
}

extension Login {
    /// OpenID Connect Core, section 5.3: the claims of the user whose access token this is, as long as
    /// the session behind it lasts.
    @Sendable
    func userInfo(_ request: Request, _ context: WebContext) async throws -> Response {
        try await outageTold(context) { try await claims(for: request, context) }
    }

    private func claims(for request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await tenant(context) else { throw Problem.notFound("tenant") }
        guard let presented = request.bearerToken else {
            throw OAuthError(.invalidToken, "Send the access token in the Authorization header.", challenge: "Bearer")
        }
        let refused = OAuthError(.invalidToken, "The access token is malformed, expired or of an ended session.", challenge: "Bearer")
        let now = now()
        guard let token = try await signingKeys.verify(presented, of: tenant.tenant, issuer: issuer(tenant.tenant), at: now),
            // With the application its tokens end.
            tenant.applications[token.client_id] != nil
        else { throw refused }
        guard token.scope.split(separator: " ").contains("openid")
        else { throw OAuthError(.insufficientScope, "The access token lacks the scope openid.", challenge: "Bearer") }
        let user = try await OwnerDatabase(pool, tenant: tenant.tenant.id)
            .run(User.find(ofSession: token.session, of: tenant.tenant.id, at: now)).first(User.init)
        guard let user else { throw refused }
        return try .json(Reply(sub: user.id.description, claims: user.claims(for: token.scope)))
    }
}
