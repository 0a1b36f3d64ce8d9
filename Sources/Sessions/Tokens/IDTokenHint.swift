package import Access
package import BrowserSessions
import Encoding
package import Foundation
import Signing
import Tenancy
package import Users

/// An Espalier id_token that is presented as `id_token_hint` (OpenID Connect RP-Initiated Logout, section 2; OpenID
/// Connect Core, section 3.1.2.1). It names the application, the user and the session of a sign-in. Its signature must be valid, but it
/// may have expired.
package struct IDTokenHint: Sendable {
    let iss: String
    package let sub: ID<User>
    let aud: ID<Application>
    let sid: ID<Session>

    /// The maximum length, in bytes. It is larger than for an access token, because an id_token may contain a name, an address and the
    /// application's nonce.
    static let longest = 8192

    init?(_ claims: [String: JSONValue]) {
        guard let iss = claims["iss"]?.text, let aud = claims["aud"]?.text.flatMap({ ID<Application>($0) }),
            let sid = claims["sid"]?.text.flatMap({ ID<Session>($0) }), let sub = claims["sub"]?.text.flatMap({ ID<User>($0) })
        else { return nil }
        (self.iss, self.aud, self.sid, self.sub) = (iss, aud, sid, sub)
    }
}

extension SigningKeys.KeySet {
    /// - Parameter isIssuer: whether the tenant has, or had, this issuer.
    func hint(_ token: String, from isIssuer: (String) -> Bool) -> IDTokenHint? {
        guard let hint = claims(of: token, type: IdentityClaims.type, upTo: IDTokenHint.longest).flatMap(IDTokenHint.init),
            isIssuer(hint.iss)
        else { return nil }
        return hint
    }
}

extension Tokens {
    /// The claims of an id_token of this tenant, however old it is, or nil.
    package func hint(_ token: String, of tenant: Tenant) async throws -> IDTokenHint? {
        try await signingKeys.hint(token, of: tenant) { endpoints.isIssuer($0, everOf: tenant) }
    }

    /// Ends the sign-in of a browser whose cookie two parties have, with the sessions of all applications that were started with it.
    package func endReused(_ cookie: BrowserCookie, by application: ID<Application>, of tenant: Tenant, at now: Date) async throws {
        try await OwnerDatabase(pool, tenant: tenant.id).transaction { db in
            try await Session.endAll(
                inBrowsers: [cookie.session], of: cookie.user, tenant.id, because: .revoked, .reused, actor: application, at: now, in: db)
        }
    }
}
