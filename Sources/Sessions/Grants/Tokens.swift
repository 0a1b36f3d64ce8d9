package import APIs
import Access
package import Postgres
package import Signing
package import Tenancy

/// Issues and verifies a tenant's tokens.
///
///     authorization_code → RedeemCode      the session, the usage event and the tokens, in one transaction
///     refresh_token      → RefreshTokens   uses up one generation of the session's refresh token
///     client_credentials → IssueMachineToken   no session, and nothing is billed
///
/// A native sign-in and the device grant call `issueTokens` directly.
package struct Tokens: Sendable {
    package let endpoints: TenantEndpoints
    let pool: DatabasePool
    let signingKeys: SigningKeys
    package let apis: APIDirectory
    package let spent = SpentCredentials()

    package init(endpoints: TenantEndpoints, pool: DatabasePool, signingKeys: SigningKeys, apis: APIDirectory) {
        (self.endpoints, self.pool, self.signingKeys, self.apis) = (endpoints, pool, signingKeys, apis)
    }
}
