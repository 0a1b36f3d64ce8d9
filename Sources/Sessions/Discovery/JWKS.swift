import Access
import Hummingbird
import Signing
import Tenancy
import Web

private struct Reply: Encodable {
    let keys: [SigningKey.JWK]
}

extension DiscoveryRoutes {
    /// The tenant's public keys (RFC 7517, section 5): the current one, the next, and retired ones while
    /// tokens they signed may live.
    ///
    /// It may be kept for five minutes: a key is here for longer than that before it signs (`SigningKey.notice`).
    @Sendable
    func jwks(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        let keys = try await signingKeys.published(of: tenant.tenant.id)
        return try .json(Reply(keys: keys.map(\.jwk)), cacheControl: "public, max-age=300")
    }
}
