import APIs
package import Access
package import ClientKeys
package import Encoding
import Foundation
import Signing
import Tenancy
package import Users

/// The claims of a user's access token (RFC 9068). Its audience is one of the tenant's APIs. By default, it is the issuer.
package struct AccessToken: Sendable {
    /// How a caller presents an access token: the `token_type` (RFC 6750, section 6.1.1; RFC 9449, section 5).
    package enum Scheme: String, Sendable {
        case bearer = "Bearer"
        case dpop = "DPoP"

        init(boundTo key: KeyThumbprint?) { self = key == nil ? .bearer : .dpop }
    }

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
    /// The key whose owner alone may use the token (RFC 9449, section 6). Nil for a token of its bearer.
    package let key: KeyThumbprint?

    package var session: ID<Session> { sid }

    init(
        issuer: String, user: ID<User>, application: Application, tenant: ID<Tenant>, session: ID<Session>, scope: String,
        for api: API? = nil, boundTo key: KeyThumbprint? = nil, at now: Date
    ) {
        (iss, aud, sub, client_id, tid, sid) = (issuer, api?.audience ?? issuer, user, application.id, tenant, session)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + (api?.accessTokenSeconds ?? application.accessTokenSeconds)
        jti = RandomText.make()
        self.scope = Scope.shown(scope)
        user_type = "apple"
        self.key = key
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
            let userType = claims["user_type"]?.text, let key = KeyThumbprint.confirmation(in: claims)
        else { return nil }
        self.key = key
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
            json.member(confirmation: key)
        }
    }
}

extension JSONText {
    /// The claim that binds a token to a key (RFC 7800, section 3.1; RFC 9449, section 6.1).
    mutating func member(confirmation key: KeyThumbprint?) {
        guard let key else { return }
        member("cnf") { $0.member("jkt", key.text) }
    }
}

extension KeyThumbprint {
    /// The key of a token's confirmation. The outer value is nil if there is a confirmation of another kind, which nobody here can check.
    static func confirmation(in claims: [String: JSONValue]) -> KeyThumbprint?? {
        switch claims["cnf"] {
        case nil: .some(nil)
        case .object(let members): members["jkt"]?.text.flatMap { KeyThumbprint($0) }.map { .some($0) } ?? nil
        default: nil
        }
    }
}

extension SigningKeys.KeySet {
    /// The claims of an access token of this tenant that is valid now, or nil.
    /// - Parameter issuers: the issuers of the tenant's addresses.
    func accessToken(_ token: String, of tenant: ID<Tenant>, issuers: [String], at now: Date) -> AccessToken? {
        guard let claims = claims(of: token, type: AccessToken.type, upTo: AccessToken.longest).flatMap(AccessToken.init),
            issuers.has(claims.iss), claims.tid == tenant, now < Date(timeIntervalSince1970: TimeInterval(claims.exp))
        else { return nil }
        return claims
    }
}

extension SigningKeys {
    /// The claims of an access token of this tenant that is valid now, or nil.
    func verify(_ token: String, of tenant: Tenant, issuers: [String], at now: Date) async throws -> AccessToken? {
        try await keys(of: tenant.id).accessToken(token, of: tenant.id, issuers: issuers, at: now)
    }

    /// The claims of an id_token of this tenant, however old it is, or nil.
    /// - Parameter isIssuer: whether the tenant has, or had, this issuer.
    func hint(_ token: String, of tenant: Tenant, from isIssuer: (String) -> Bool) async throws -> IDTokenHint? {
        try await keys(of: tenant.id).hint(token, from: isIssuer)
    }
}
