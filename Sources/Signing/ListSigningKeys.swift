import Access
import Hummingbird
import Postgres
import Web

extension SigningKeyRoutes {
    /// Lists the keys of the tenant's JWKS, newest first. The list is empty until a client fetches the JWKS or a user signs in.
    @Sendable
    func listSigningKeys(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.signingKeysRead)
        let page = try Query(request, "limit", "after", "before").page
        let keys = try await call.database(pool).run(SigningKeyReply.page(page, of: call.tenant)).map(SigningKeyReply.init)
        return try .json(Page(keys, of: page, id: \.id.uuid) { $0 })
    }
}
