import Foundation
import JWTKit
import Sealing
import Tenancy

/// The claims of an access token (RFC 9068). Its audience is the tenant's issuer: whatever serves the
/// tenant's users accepts it.
struct AccessToken: JWTPayload, Sendable {
    static let type = "at+jwt"

    let iss, aud: String
    let sub: ID<User>
    let client_id: ID<Application>
    let tid: ID<Tenant>
    let sid: ID<Session>
    let iat, exp: Int
    let jti: String
    let scope: String
    let user_type: String

    var session: ID<Session> { sid }

    init(
        issuer: String, user: ID<User>, application: Application, tenant: ID<Tenant>, session: ID<Session>, scope: String, at now: Date
    ) {
        (iss, aud, sub, client_id, tid, sid) = (issuer, issuer, user, application.id, tenant, session)
        iat = Int(now.timeIntervalSince1970)
        exp = iat + application.accessTokenSeconds
        jti = LoginAttempt.randomText()
        self.scope = scope
        user_type = "apple"
    }

    func signed(by key: SigningKey) throws -> String {
        try key.sign(self, type: Self.type)
    }

    /// Times are checked against the caller's clock, in `SigningKeys.verify`.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

    /// Whether the header says `at+jwt`, which no id_token of ours does (RFC 9068, section 4).
    static func hasItsType(_ token: String) -> Bool {
        struct Header: Decodable { let typ: String? }
        guard token.utf8.count <= 4096, let head = token.split(separator: ".", maxSplits: 1).first,
            let bytes = [UInt8](base64URL: String(head)),
            let header = try? JSONDecoder().decode(Header.self, from: Data(bytes))
        else { return false }
        return header.typ == type
    }
}
