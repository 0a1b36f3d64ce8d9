import APIs
import Access
import ClientKeys
import Encoding
import Foundation
import Signing
import Tenancy

/// The claims of a machine's access token (RFC 9068). Its subject is the application itself (section 2.2), so it has no session.
struct MachineToken: Sendable {
    static let userType = "machine"

    let iss, aud: String
    let client_id: ID<Application>
    let tid: ID<Tenant>
    let iat, exp: Int
    let jti: String
    let scope: String?
    let key: KeyThumbprint?

    init(
        issuer: String, application: ID<Application>, tenant: ID<Tenant>, scope: String, for api: API, boundTo key: KeyThumbprint?,
        at now: Date
    ) {
        (iss, aud, client_id, tid) = (issuer, api.audience, application, tenant)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + api.accessTokenSeconds
        jti = RandomText.make()
        self.scope = Scope.shown(scope)
        self.key = key
    }

    func signed(by key: SigningKey, of keys: SigningKeys) throws -> String {
        try keys.sign(JSONWriter.encode(self), type: AccessToken.type, with: key)
    }

    /// The claims of a verified token. Nil unless they are those of a machine's access token.
    init?(_ claims: [String: JSONValue]) {
        guard claims["user_type"]?.text?.isSame(as: Self.userType) == true, let iss = claims["iss"]?.text, let aud = claims["aud"]?.text,
            let client = claims["client_id"]?.text.flatMap({ ID<Application>($0) }),
            claims["sub"]?.text.flatMap({ ID<Application>($0) }) == client,
            let tid = claims["tid"]?.text.flatMap({ ID<Tenant>($0) }), let iat = claims["iat"]?.wholeNumber,
            let exp = claims["exp"]?.wholeNumber, let jti = claims["jti"]?.text, let key = KeyThumbprint.confirmation(in: claims)
        else { return nil }
        (self.iss, self.aud, client_id, self.tid, self.iat, self.exp, self.jti) = (iss, aud, client, tid, iat, exp, jti)
        (scope, self.key) = (claims["scope"]?.text, key)
    }
}

extension MachineToken: JSONWritable {
    func write(to json: inout JSONText) {
        json.object { json in
            json.member("iss", iss)
            json.member("aud", aud)
            json.member("sub", client_id)
            json.member("client_id", client_id)
            json.member("tid", tid)
            json.member("iat", iat)
            json.member("exp", exp)
            json.member("jti", jti)
            json.member("scope", scope)
            json.member("user_type", Self.userType)
            json.member(confirmation: key)
        }
    }
}

extension SigningKeys.KeySet {
    /// The claims of a machine's access token of this tenant that is valid now, or nil.
    func machineToken(_ token: String, of tenant: ID<Tenant>, issuers: [String], at now: Date) -> MachineToken? {
        guard let claims = claims(of: token, type: AccessToken.type, upTo: AccessToken.longest).flatMap(MachineToken.init),
            issuers.has(claims.iss), claims.tid == tenant, now < Date(timeIntervalSince1970: TimeInterval(claims.exp))
        else { return nil }
        return claims
    }
}

extension Tokens {
    /// A machine's access token of this tenant that has not expired. It ends when the application or the API is deleted, or when the API
    /// does not list the application any longer.
    func machineToken(_ presented: String, _ tenant: TenantConfiguration, at now: Date) async throws -> MachineToken? {
        guard
            let token = try await signingKeys.keys(of: tenant.tenant.id).machineToken(
                presented, of: tenant.tenant.id, issuers: endpoints.issuers(tenant.tenant), at: now),
            tenant.applications[token.client_id] != nil,
            let api = try await apis.apis(of: tenant.tenant.id).first(where: { $0.audience.isSame(as: token.aud) }),
            api.scopes(for: token.client_id) != nil
        else { return nil }
        return token
    }
}
