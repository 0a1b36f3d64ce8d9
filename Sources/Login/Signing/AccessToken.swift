import Foundation
import Tenancy

/// The claims of an access token (RFC 9068). Its audience is the tenant's issuer: whatever serves the
/// tenant's users accepts it.
struct AccessToken: Codable, Sendable {
    static let type = "at+jwt"
    /// Ours have about 700 characters.
    static let longest = 4096

    let iss, aud: String
    let sub: ID<User>
    let client_id: ID<Application>
    let tid: ID<Tenant>
    let sid: ID<Session>
    let iat, exp: Int
    let jti: String
    /// Nil of a session from a version that granted no scope.
    let scope: String?
    let user_type: String

    var session: ID<Session> { sid }

    init(
        issuer: String, user: ID<User>, application: Application, tenant: ID<Tenant>, session: ID<Session>, scope: String, at now: Date
    ) {
        (iss, aud, sub, client_id, tid, sid) = (issuer, issuer, user, application.id, tenant, session)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + application.accessTokenSeconds
        jti = LoginAttempt.randomText()
        self.scope = Scope.shown(scope)
        user_type = "apple"
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(self, type: Self.type)
    }
}
