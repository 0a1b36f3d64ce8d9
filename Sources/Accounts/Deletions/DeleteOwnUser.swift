import Access
import ClientKeys
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension UserRoutes {
    /// Deletes the user of an access token, at the user's own request (App Review Guideline 5.1.1(v)). The token is accepted only in the
    /// header, because a browser that is lured here sends no such header.
    ///
    /// The response contains the deletion record, because no token is left to request it later.
    @Sendable
    func deleteOwnUser(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) { try await deletion(by: request, context) }
    }

    private func deletion(by request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        guard let (presented, proof) = try endpoints.accessToken(in: request, context) else { throw OAuthError.accessTokenMissing }
        let (now, id) = (now(), tenant.tenant.id)
        // The proof is not used up, because the deletion ends the token.
        let (token, application) = try await tokens.bearerToken(presented, proof, tenant, at: now)
        try application.requireOwn(proof)
        let facts = context.record.current
        let wanted = UserDeletion.Request(
            user: token.sub, tenant: id, requester: .user,
            origin: .init(actor: token.client_id.description, address: facts.address, requestID: facts.requestID),
            action: "deleteOwnUser")
        let deletion = try await tokens.spent.refuse(
            .act(token.session, issuedAt: token.iat), by: .init(application, tenant.tenant), at: now
        ) {
            let deletion = try await OwnerDatabase(pool, tenant: id).transaction { db in
                try await delete(wanted, at: now, in: db) { user in
                    // Read while the user's row is locked, because another request may be ending the session.
                    let lasting = try await db.run(User.find(ofSession: token.session, of: id, application, at: now)).first(User.init)
                    guard lasting?.id == user.id else { throw OAuthError.badAccessToken }
                }
            }
            guard let deletion else { throw OAuthError.badAccessToken }
            return deletion
        }
        return try .json(deletion)
    }
}

extension Application {
    /// Refuses an application of a third party. Its users allowed it to learn who they are, and not to change or end their accounts.
    /// - Throws: `OAuthError` 403.
    func requireOwn(_ proof: DPoPProof?) throws {
        guard isThirdParty else { return }
        throw OAuthError(
            .insufficientScope, "Applications of third parties cannot manage users.", challenge: proof == nil ? "Bearer" : "DPoP")
    }
}
