import APIs
package import Access
package import Encoding
import Foundation
import Signing
import Tenancy
package import Users

/// The claims of a user's access token (RFC 9068). Its audience is one of the tenant's APIs. By default, it is the issuer.
package struct AccessToken: Sendable {
    static let type = "at+jwt"
    /// The maximum length, in bytes. Espalier's have about 700 characters.
    static let longest = 4096

    let iss, aud: String
    package let sub: ID<User>
    package let client_id: ID<Application>
    let tid: ID<Tenant>
    let sid: ID<Session>
    package let iat, exp: Int
    let jti: String
    /// Nil for a session of an older version that granted no scope.
    package let scope: String?
    package let user_type: String

    package var session: ID<Session> { sid }

    init(
        issuer: String, user: ID<User>, application: Application, tenant: ID<Tenant>, session: ID<Session>, scope: String,
        for api: API? = nil, at now: Date
    ) {
        (iss, aud, sub, client_id, tid, sid) = (issuer, api?.audience ?? issuer, user, application.id, tenant, session)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + (api?.accessTokenSeconds ?? application.accessTokenSeconds)
        jti = RandomText.make()
        self.scope = Scope.shown(scope)
        user_type = "apple"
    }

    func signed(by key: SigningKey, of keys: SigningKeys) throws -> String {
        try keys.sign(JSONWriter.encode(self), type: Self.type, with: key)
    }

    /// The claims of a verified token. Nil unless they are those of an access token.
    init?(_ claims: [String: JSONValue]) {
        guard let iss = claims["iss"]?.text, let aud = claims["aud"]?.text, let sub = claims["sub"]?.text.flatMap({ ID<User>($0) }),
            let client = claims["client_id"]?.text.flatMap({ ID<Application>($0) }),
            let tid = claims["tid"]?.text.flatMap({ ID<Tenant>($0) }), let sid = claims["sid"]?.text.flatMap({ ID<Session>($0) }),
            let iat = claims["iat"]?.wholeNumber, let exp = claims["exp"]?.wholeNumber, let jti = claims["jti"]?.text,
            let userType = claims["user_type"]?.text
        else { return nil }
        (self.iss, self.aud, self.sub, client_id, self.tid, self.sid) = (iss, aud, sub, client, tid, sid)
        (self.iat, self.exp, self.jti, scope, user_type) = (iat, exp, jti, claims["scope"]?.text, userType)
    }
}

extension AccessToken: JSONWritable {
    package func write(to json: inout JSONText) {
        json.object { json in
            json.member("iss", iss)
            json.member("aud", aud)
            json.member("sub", sub)
            json.member("client_id", client_id)
            json.member("tid", tid)
            json.member("sid", sid)
            json.member("iat", iat)
            json.member("exp", exp)
            json.member("jti", jti)
            json.member("scope", scope)
            json.member("user_type", user_type)
        }
    }
}

extension SigningKeys.KeySet {
    /// The claims of an access token of this tenant that is valid now, or nil.
    func accessToken(_ token: String, of tenant: ID<Tenant>, issuer: String, at now: Date) -> AccessToken? {
        guard let claims = claims(of: token, type: AccessToken.type, upTo: AccessToken.longest).flatMap(AccessToken.init),
            claims.iss.isSame(as: issuer), claims.tid == tenant, now < Date(timeIntervalSince1970: TimeInterval(claims.exp))
        else { return nil }
        return claims
    }
}

extension SigningKeys {
    /// The claims of an access token of this tenant that is valid now, or nil.
    func verify(_ token: String, of tenant: Tenant, issuer: String, at now: Date) async throws -> AccessToken? {
        try await keys(of: tenant.id).accessToken(token, of: tenant.id, issuer: issuer, at: now)
    }

    /// The claims of an id_token of this tenant, however old it is, or nil.
    func hint(_ token: String, of tenant: Tenant, issuer: String) async throws -> IDTokenHint? {
        try await keys(of: tenant.id).hint(token, issuer: issuer)
    }
}
