package import Access
import Encoding
package import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Tenancy
import Web

extension TokenRoutes {
    /// The revocation endpoint (RFC 7009). An application revokes one of its tokens. The session and all its tokens end with it (section
    /// 2.1). A used refresh token still identifies its session. A token that identifies no session is not an error (section 2.2).
    @Sendable
    func revokeToken(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
            let form = try await endpoints.postedForm(request, context)
            let application = try await endpoints.authenticate(request, form, tenant, context)
            guard let presented = form["token"] else { throw OAuthError(.invalidRequest, "token is missing.") }
            let now = endpoints.now()
            guard try await !tokens.revoke(presented, by: application, of: tenant.tenant, at: now) else { return .revoked }
            guard try await tokens.machineToken(presented, tenant, at: now) == nil else {
                throw OAuthError(
                    .unsupportedTokenType,
                    "A machine's access token cannot be revoked. Remove the application from the API, or let it expire.")
            }
            return .revoked
        }
    }
}

extension Tokens {
    /// Ends the session of an application's token.
    /// - Returns: whether the token identifies a session, active or not.
    /// - Throws: `OAuthError` if the token was issued to another application.
    @discardableResult
    package func revoke(_ presented: String, by application: Application, of tenant: Tenant, at now: Date) async throws -> Bool {
        guard let session = try await session(of: presented, application, tenant, at: now) else { return false }
        try await spent.runOnce(.revoke(session), by: .init(application, tenant), at: now) {
            let (found, _) = try await OwnerDatabase(pool, tenant: tenant.id).run(
                "SELECT application_id FROM session WHERE tenant_id = \(tenant.id) AND id = \(session)",
                Session.end(session, of: tenant.id, because: .tokenRevoked, actor: application.id, at: now))
            // Section 2.1 requires an error of RFC 6749, section 5.2. It reveals nothing, because the caller already has the token.
            guard try found.first({ try $0.get("application_id", as: ID<Application>.self) }) ?? application.id == application.id
            else { throw OAuthError(.invalidGrant, "The token was issued to another application.") }
        }
        return true
    }

    private func session(of token: String, _ application: Application, _ tenant: Tenant, at now: Date) async throws -> ID<Session>? {
        if let refresh = RefreshToken(token, of: tenant.id, with: endpoints.keyring) { return refresh.session }
        let found = try await signingKeys.verify(token, of: tenant, issuers: endpoints.issuers(tenant), at: now)
        // A public application proves nothing, and an API has a copy of its token.
        guard application.kind.isConfidential || found.map({ $0.aud.isSame(as: $0.iss) }) == true else { return nil }
        return found?.sid
    }
}

extension Response {
    /// The same for a token that was revoked and for one that identifies no session.
    fileprivate static var revoked: Response {
        Response(status: .ok, headers: [.cacheControl: "no-store", .pragma: "no-cache", .contentLength: "0"])
    }
}
