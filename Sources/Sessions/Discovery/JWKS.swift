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
    ///
    /// While the database does not answer, the keys may be up to `Issuer.recency` old, so that APIs can verify tokens during an outage.
    @Sendable
    func jwks(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let issuer = try await endpoints.issuer(context) else { throw Problem.notFound("tenant") }
        // Two waits would be more than the 50 ms that a JWKS may take during an outage, on a busy machine.
        let keys = try await signingKeys.published(of: issuer.tenant, waits: !issuer.isOld)
        return try .json(Reply(keys: keys.value), cacheControl: Self.cacheControl(isOld: issuer.isOld || keys.isOld))
    }
}
