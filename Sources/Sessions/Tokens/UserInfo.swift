import Access
import ClientKeys
import Encoding
import HTTPTypes
import Hummingbird
import Postgres
import Tenancy
import Users
import Web

private struct Reply: JSONWritable {
    let sub: String
    let claims: UserClaims

    func write(to json: inout JSONText) {
        json.object { json in
            json.member("sub", sub)
            claims.writeMembers(to: &json)
        }
    }
}

extension TokenRoutes {
    /// The userinfo endpoint (OpenID Connect Core, section 5.3). It returns the claims of the access token's user while the session is
    /// active.
    @Sendable
    func userInfo(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) { try await claims(for: request, context) }
    }

    private func claims(for request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        let (presented, proof) = try await accessToken(request, context)
        let now = endpoints.now()
        let (token, application) = try await tokens.bearerToken(presented, proof, tenant, at: now)
        let user = try await spent.refuse(.act(token.session, issuedAt: token.iat), by: .init(application, tenant.tenant), at: now) {
            let found = try await OwnerDatabase(pool, tenant: tenant.tenant.id).repeatable
                .run(User.find(ofSession: token.session, of: tenant.tenant.id, application, at: now)).first(User.init)
            guard let found else { throw OAuthError.badAccessToken }
            // Only for an active session, because each proof takes a row.
            try await tokens.use(proof, of: tenant.tenant, at: now)
            return found
        }
        return try .json(Reply(sub: user.id.description, claims: user.claims(for: token.scope ?? "")))
    }

    /// The access token in the header or in a posted form, not in both (RFC 6750, section 2). It is never in the URL, because URLs are
    /// logged.
    private func accessToken(_ request: Request, _ context: WebContext) async throws -> (String, DPoPProof?) {
        let inHeader = try endpoints.accessToken(in: request, context)
        var inBody: String?
        if request.method == .post, request.isForm {
            do { inBody = try await Form(request.body, upTo: context.maxUploadSize)["access_token"] } catch is Form.Refusal {
                throw OAuthError(.invalidRequest, "A parameter is malformed or appears more than once.", challenge: "Bearer")
            }
        }
        if inHeader != nil, inBody != nil {
            throw OAuthError(.invalidRequest, "Send the access token in the header or in the body, not in both.", challenge: "Bearer")
        }
        guard let presented = inHeader ?? inBody.map({ ($0, nil) }) else { throw OAuthError.accessTokenMissing }
        return presented
    }
}
