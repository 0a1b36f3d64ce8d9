import Access
import Hummingbird
import Postgres
import Web

extension SigningKeyRoutes {
    /// The keys of the tenant's JWKS, the newest first. There is none before somebody has asked for the JWKS or signed in.
    @Sendable
    func listSigningKeys(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.signingKeysRead)
        let page = try Query(request, "limit", "after", "before").page
        let keys = try await call.database(pool).run(SigningKeyReply.page(page, of: call.tenant)).map(SigningKeyReply.init)
        return try .json(Page(keys, of: page, id: \.id.uuid) { $0 })
    }
}
