import Crypto
import Foundation

/// The claims of Apple's id_token. Apple's page "Authenticating users with Sign in with Apple" lists them.
struct IDToken {
    let issuer: String
    let clientID: String
    let consent: Grants.Consent
    var nonce: String?
    /// Only the first time, for native apps: 0 unsupported, 1 unknown, 2 likely real.
    var realUserStatus: Int?
    /// The token or code next to the id_token, for `at_hash` and `c_hash` (OpenID Connect Core, sections 3.1.3.6 and
    /// 3.3.2.11).
    var accessToken: String?
    var code: String?
    /// The identifier of the person between two teams, during a transfer.
    var transferSubject: String?

    /// In seconds: one day, as at Apple.
    static let lifetime = 86_400

    func claims(at now: Date) -> JSONValue {
        let seconds = Int(now.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(clientID), "sub": .string(consent.subject),
            "iat": .integer(seconds), "exp": .integer(seconds + Self.lifetime), "auth_time": .integer(seconds),
            "nonce_supported": true,
        ]
        claims["nonce"] = nonce.map { .string($0) }
        claims["real_user_status"] = realUserStatus.map { .integer($0) }
        claims["transfer_sub"] = transferSubject.map { .string($0) }
        claims["org_id"] = consent.person.organization.map { .string($0) }
        claims["at_hash"] = accessToken.map { .string(Self.leftHalf($0)) }
        claims["c_hash"] = code.map { .string(Self.leftHalf($0)) }
        if let email = consent.email, consent.scopes.contains(.email) {
            claims["email"] = .string(email)
            claims["email_verified"] = Self.claim(true, consent.person.booleanStyle)
            claims["is_private_email"] = Self.claim(consent.isPrivateEmail, consent.person.booleanStyle)
        }
        return .object(claims)
    }

    static func claim(_ value: Bool, _ style: Person.BooleanStyle) -> JSONValue? {
        switch style {
        case .strings: .string(value ? "true" : "false")
        case .booleans: .bool(value)
        case .omitted: nil
        }
    }

    private static func leftHalf(_ token: String) -> String {
        Array(SHA256.hash(data: Data(token.utf8))).prefix(16).base64URL
    }
}
