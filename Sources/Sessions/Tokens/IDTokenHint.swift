import Access
import Signing
import Tenancy
import Web

/// An id_token of ours that comes back as `id_token_hint` (OpenID Connect RP-Initiated Logout, section 2): to which
/// application somebody was signed in, and in which session. How old it is does not matter; that we have signed it does.
struct IDTokenHint: Decodable, Sendable {
    let iss: String
    let aud: ID<Application>
    let sid: ID<Session>

    /// Longer than an access token: it may hold a name, an address and the application's nonce.
    static let longest = 8192
}

extension SigningKeys.KeySet {
    func hint(_ token: String, issuer: String) -> IDTokenHint? {
        guard let hint = claims(of: token, type: IdentityClaims.type, upTo: IDTokenHint.longest, as: IDTokenHint.self),
            hint.iss.isSame(as: issuer)
        else { return nil }
        return hint
    }
}
