import Access
import Encoding
import Signing
import Tenancy

/// An Espalier id_token that is presented as `id_token_hint` (OpenID Connect RP-Initiated Logout, section 2). It names the application and
/// the session of a sign-in. Its signature must be valid, but it may have expired.
struct IDTokenHint: Sendable {
    let iss: String
    let aud: ID<Application>
    let sid: ID<Session>

    /// The maximum length, in bytes. It is larger than for an access token, because an id_token may contain a name, an address and the
    /// application's nonce.
    static let longest = 8192

    init?(_ claims: [String: JSONValue]) {
        guard let iss = claims["iss"]?.text, let aud = claims["aud"]?.text.flatMap({ ID<Application>($0) }),
            let sid = claims["sid"]?.text.flatMap({ ID<Session>($0) })
        else { return nil }
        (self.iss, self.aud, self.sid) = (iss, aud, sid)
    }
}

extension SigningKeys.KeySet {
    func hint(_ token: String, issuer: String) -> IDTokenHint? {
        guard let hint = claims(of: token, type: IdentityClaims.type, upTo: IDTokenHint.longest).flatMap(IDTokenHint.init),
            hint.iss.isSame(as: issuer)
        else { return nil }
        return hint
    }
}
