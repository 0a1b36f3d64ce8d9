import Access
import Foundation

/// The provider of a tenant as callers and the audit trail see it, without the secret.
struct SSOReply: Encodable, Sendable {
    let id: ID<SSOConnection>
    let object = "sso"
    let issuer, client_id: String
    let is_required: Bool
    /// The value that the tenant registers at its provider.
    let redirect_uri: String
    let signed_in_at: Date?
    let created_at, updated_at: Date

    init(_ connection: SSOConnection, publicURL: String) {
        (id, issuer, client_id, is_required) = (connection.id, connection.issuer, connection.clientID, connection.isRequired)
        (redirect_uri, signed_in_at) = (SSOConnection.redirectURI(publicURL: publicURL), connection.signedInAt)
        (created_at, updated_at) = (connection.createdAt, connection.updatedAt)
    }
}

extension SSOConnection {
    /// The path at the public URL to which a provider sends the browser back.
    package static let callbackPath = "/account/sso/callback"

    package static func redirectURI(publicURL: String) -> String { publicURL + callbackPath }
}
