import Access
import Encoding
import Foundation
import Sealing
import Sessions
import Signing
import Tenancy
import Users

/// The claims of an access token in WorkOS's form. It is a token for the application and not for the tenant's APIs: it has no audience, and
/// its issuer is not the tenant's. So no endpoint of Espalier accepts it.
///
/// Two tokens of the same session and refresh are equal. So the response to a repeated request is equal to the first one.
struct SessionToken: Sendable {
    private static let type = "JWT"
    /// Espalier has no roles of end users.
    static let role = "member"

    private let iss, sid, org_id, jti: String
    private let sub: ID<User>
    private let auth_time: Int?
    private let iat, exp: Int

    /// - Parameters:
    ///   - generation: the number of refreshes of the session.
    ///   - start: the time of the last refresh, or the start of the session.
    init(
        of user: ID<User>, _ session: ID<Session>, generation: Int, authenticatedAt: Date?, _ application: Application, _ tenant: Tenant,
        publicURL: String, keyring: Keyring, at start: Date
    ) {
        iss = "\(publicURL)/user_management/\(WorkOSID.text(application.id))"
        (sub, sid) = (user, WorkOSSessionID(session, of: application.id).proven(with: keyring))
        org_id = WorkOSID.text(tenant.id)
        jti = "\(WorkOSID.digits(session))\(generation)"
        auth_time = Int((authenticatedAt ?? start).timeIntervalSince1970)
        iat = Int(start.timeIntervalSince1970)
        exp = iat + application.accessTokenSeconds
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(JSONWriter.encode(self), type: Self.type)
    }
}

extension SessionToken: JSONWritable {
    func write(to json: inout JSONText) {
        json.object { json in
            json.member("iss", iss)
            json.member("sub", sub)
            json.member("sid", sid)
            json.member("org_id", org_id)
            json.member("role", Self.role)
            json.member("roles", [Self.role])
            json.member("permissions", [] as [String])
            json.member("auth_time", auth_time)
            json.member("jti", jti)
            json.member("iat", iat)
            json.member("exp", exp)
        }
    }
}
