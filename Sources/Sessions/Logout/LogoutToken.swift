import Access
import Encoding
import Foundation
import Signing
import Tenancy
import Users

/// The claims of a logout token (OpenID Connect Back-Channel Logout, section 2.4). It states that one session of a user at an application
/// is over. It has no `nonce`, which would make it an id_token.
struct LogoutToken: Encodable, Sendable {
    static let type = "logout+jwt"

    /// How long a logout token is valid, in seconds. It is sent at once, and each attempt makes a new one.
    private static let lifetime = 120

    private let iss: String
    private let sub: ID<User>
    private let aud: ID<Application>
    private let sid: ID<Session>
    private let iat, exp: Int
    private let jti = RandomText.make()
    private let events = [Self.event: Nothing()]

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// An empty object, `{}`.
    private struct Nothing: Encodable {}

    init(issuer: String, user: ID<User>, application: ID<Application>, session: ID<Session>, at now: Date) {
        (iss, sub, aud, sid) = (issuer, user, application, session)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Self.lifetime
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(JSONWriter.encode(self), type: Self.type)
    }
}
