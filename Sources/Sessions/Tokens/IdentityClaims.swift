import Access
import Crypto
import Encoding
import Foundation
import Signing
import Tenancy
import Users

/// The claims of an id_token (OpenID Connect Core, sections 2 and 3.1.3.6): the user, the time of the sign-in, and the profile within the
/// granted scopes.
struct IdentityClaims: Sendable {
    static let type = "JWT"

    private let iss: String
    private let sub: ID<User>
    private let aud: ID<Application>
    private let sid: ID<Session>
    private let iat, exp: Int
    private let auth_time: Int?
    private let nonce: String?
    private let at_hash: String
    /// RFC 8176 has no value for an authentication at Apple by any method, so Espalier uses its own value.
    private let amr = ["apple"]
    private let real_user_status: Int?
    private let claims: UserClaims

    /// How long an id_token is valid, in seconds.
    private static let lifetime = 3600

    init(
        issuer: String, user: User, application: ID<Application>, login: CompletedLogin, accessToken: String, at now: Date
    ) {
        (iss, sub, aud, sid, nonce) = (issuer, user.id, application, login.session, login.nonce)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Self.lifetime
        auth_time = Int(login.authenticatedAt.timeIntervalSince1970)
        real_user_status = login.realUserStatus
        at_hash = Array(SHA256.hash(data: Data(accessToken.utf8)).prefix(16)).base64URL
        claims = user.claims(for: login.scope)
    }

    /// The claims for a refresh (section 12.2), for libraries that store the newest id_token. With it, a later logout presents an id_token
    /// whose signing key is still published. It contains no profile, which is in userinfo.
    init(refreshing session: Session, _ id: ID<Session>, issuer: String, application: ID<Application>, accessToken: String, at now: Date) {
        (iss, sub, aud, sid, nonce) = (issuer, session.user, application, id, nil)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Self.lifetime
        auth_time = session.authenticatedAt.map { Int($0.timeIntervalSince1970) }
        real_user_status = nil
        at_hash = Array(SHA256.hash(data: Data(accessToken.utf8)).prefix(16)).base64URL
        claims = UserClaims()
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(JSONWriter.encode(self), type: Self.type)
    }
}

extension IdentityClaims: JSONWritable {
    func write(to json: inout JSONText) {
        json.object { json in
            json.member("iss", iss)
            json.member("sub", sub)
            json.member("aud", aud)
            json.member("sid", sid)
            json.member("iat", iat)
            json.member("exp", exp)
            json.member("auth_time", auth_time)
            json.member("nonce", nonce)
            json.member("at_hash", at_hash)
            json.member("amr", amr)
            json.member("real_user_status", real_user_status)
            claims.writeMembers(to: &json)
        }
    }
}
