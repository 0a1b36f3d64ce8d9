import Access
import Foundation
import Sealing
import Tenancy

/// An initial access token as callers and the audit trail see it.
struct InitialAccessTokenReply: Encodable {
    let id: ID<InitialAccessToken>
    let object = "initial_access_token"
    let name, last_four: String
    let kinds: [Application.Kind]
    let requires_pkce: Bool
    let max_registrations, registrations: Int
    let expires_at: Date
    let revoked_at: Date?
    let created_at, updated_at: Date
    /// Only in the response that issues the token.
    var secret: String?

    init(_ token: InitialAccessToken) {
        (id, name, last_four, kinds) = (token.id, token.name, token.lastFour, token.kinds)
        requires_pkce = token.requiresPKCE
        (max_registrations, registrations) = (token.mostRegistrations, token.registrations)
        (expires_at, revoked_at) = (token.expiresAt, token.revokedAt)
        (created_at, updated_at) = (token.createdAt, token.updatedAt)
    }

    /// - Parameter secret: the new token.
    init(_ token: InitialAccessToken, showing secret: Secret) {
        self.init(token)
        self.secret = secret.reveal()
    }
}
