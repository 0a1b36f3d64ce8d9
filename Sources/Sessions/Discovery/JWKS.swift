import Access
import Hummingbird
import Signing
import Tenancy
import Web

private struct Reply: Encodable {
    let keys: [SigningKey.JWK]
}

extension DiscoveryRoutes {
    /// Returns the tenant's public keys (RFC 7517, section 5): the current key, the next key, and retired keys whose tokens may still be
    /// valid.
    ///
    /// A client may cache the response for five minutes. A key is published for longer than that before it signs (`SigningKey.notice`).
    @Sendable
    func jwks(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        let keys = try await signingKeys.published(of: tenant.tenant.id)
        return try .json(Reply(keys: keys.map(\.jwk)), cacheControl: "public, max-age=300")
    }
}
