import Access
import Foundation
import Sessions
import Users

/// A user in Mushu's form. A missing value is null.
struct UserReply: Encodable, Sendable {
    let user_id: ID<User>
    /// The provider of the account. Espalier has only one.
    let user_type: String
    let email: String?
    let email_verified: Bool
    let name: String?
    let created_at, last_login: Date

    private enum CodingKeys: CodingKey {
        case user_id, user_type, email, email_verified, name, created_at, last_login
    }

    /// - Parameter token: the access token, whose scopes decide about the name and the address.
    init(_ found: SignedInUser, _ token: AccessToken) {
        let claims = found.user.claims(for: token.scope ?? "")
        (user_id, user_type) = (found.user.id, token.user_type)
        (email, email_verified, name) = (claims.email, claims.email_verified ?? false, claims.name)
        (created_at, last_login) = (found.createdAt, found.lastLoginAt)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user_id, forKey: .user_id)
        try container.encode(user_type, forKey: .user_type)
        try container.encode(email, forKey: .email)
        try container.encode(email_verified, forKey: .email_verified)
        try container.encode(name, forKey: .name)
        try container.encode(created_at, forKey: .created_at)
        try container.encode(last_login, forKey: .last_login)
    }
}
