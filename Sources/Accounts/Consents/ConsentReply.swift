import APIs
import Access
import Foundation
import Postgres
import Tenancy
import Users
import Web

/// A consent that counts, in the REST API and in the audit trail.
struct ConsentReply: Encodable {
    let id: ID<Consent>
    let object = "consent"
    let user_id: ID<User>
    let application_id: ID<Application>
    let scope: String
    let api_ids: [ID<API>]
    let given_at, created_at, updated_at: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        user_id = try row.get("user_id")
        application_id = try row.get("application_id")
        scope = try row.get("scopes", as: [String].self).joined(separator: " ")
        api_ids = try row.get("api_ids", as: [UUID].self).map(ID.init)
        given_at = try row.get("given_at")
        created_at = try row.get("created_at")
        updated_at = try row.get("updated_at")
    }

    static func page(_ page: PageRequest, of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, user_id, application_id, scopes, api_ids, given_at, created_at, updated_at FROM consent AS c
        WHERE tenant_id = \(tenant) AND user_id = \(user) AND id < \(page.upper) AND id > \(page.lower)
            AND \(part: Consent.counts("c", of: user, tenant))
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// Finds a consent that counts, and locks it for its end.
    static func lock(_ id: ID<Consent>, of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, user_id, application_id, scopes, api_ids, given_at, created_at, updated_at FROM consent AS c
        WHERE tenant_id = \(tenant) AND user_id = \(user) AND id = \(id) AND \(part: Consent.counts("c", of: user, tenant))
        FOR UPDATE OF c
        """
    }
}
