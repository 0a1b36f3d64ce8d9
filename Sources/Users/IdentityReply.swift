package import Access
import Foundation
package import Postgres
import Tenancy

/// An identity of a user in the REST API.
package struct IdentityReply: Encodable, Sendable {
    package let id: ID<Identity>
    let object = "identity"
    package let team_id, subject: String
    /// The tenant's own connection to that team, if it has one.
    let connection_id: ID<Connection>?
    /// When the user's consent ended at Apple. It is absent while the consent is valid, and after the deletion of the Apple account.
    let consent_ended_at: Date?
    let created_at: Date
    /// It is absent until the first sign-in with an identity that the tenant added.
    let last_login_at: Date?

    package init(_ row: Row) throws {
        id = try row.get("id")
        team_id = try row.get("team_id")
        subject = try row.get("apple_sub")
        connection_id = try row.get("connection_id")
        consent_ended_at = try row.get("consent_ended_at")
        created_at = try row.get("created_at")
        last_login_at = try row.get("last_login_at")
    }
}
