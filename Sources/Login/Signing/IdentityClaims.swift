import Crypto
import Foundation
import Sealing
import Tenancy

/// The claims of our id_token (OpenID Connect Core, sections 2 and 3.1.3.6): who signed in, when, and,
/// where the scopes ask for it, what the application may know of them.
struct IdentityClaims: Encodable, Sendable {
    private let iss: String
    private let sub: ID<User>
    private let aud: ID<Application>
    private let sid: ID<Session>
    private let iat, exp, auth_time: Int
    private let nonce: String?
    private let at_hash: String
    private let claims: UserClaims

    /// How long an id_token may be presented, in seconds.
    private static let lifetime = 3600

    init(
        issuer: String, user: User, application: ID<Application>, session: ID<Session>, scope: String, nonce: String?,
        authenticatedAt: Date, accessToken: String, at now: Date
    ) {
        (iss, sub, aud, sid, self.nonce) = (issuer, user.id, application, session, nonce)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Self.lifetime
        auth_time = Int(authenticatedAt.timeIntervalSince1970)
        at_hash = Array(SHA256.hash(data: Data(accessToken.utf8)).prefix(16)).base64URL
        claims = user.claims(for: scope)
    }

    private enum Key: CodingKey {
        case iss, sub, aud, sid, iat, exp, auth_time, nonce, at_hash
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(iss, forKey: .iss)
        try container.encode(sub, forKey: .sub)
        try container.encode(aud, forKey: .aud)
        try container.encode(sid, forKey: .sid)
        try container.encode(iat, forKey: .iat)
        try container.encode(exp, forKey: .exp)
        try container.encode(auth_time, forKey: .auth_time)
        try container.encodeIfPresent(nonce, forKey: .nonce)
        try container.encode(at_hash, forKey: .at_hash)
        try claims.encode(to: encoder)
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(self, type: "JWT")
    }
}
