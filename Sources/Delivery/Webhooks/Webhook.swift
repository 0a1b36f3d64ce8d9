import Access
import Foundation
import Postgres

/// An endpoint of a tenant for webhooks: a URL and the subscribed kinds of event.
struct Webhook: Identified, Sendable {
    static let idPrefix = "webhook"

    /// The limit per tenant.
    static let limit = 20

    enum Status: String, Codable, CaseIterable, SQLValue {
        case enabled, disabled
    }

    /// The server's reason for disabling the endpoint. Nil if the tenant did it.
    enum DisabledReason: String, Codable, SQLValue {
        /// The endpoint responded with 410.
        case gone
        /// No delivery succeeded for a long time.
        case failing
    }

    let id: ID<Webhook>
    let url: String
    let description: String?
    let events: [String]
    let status: Status
    let disabledReason: DisabledReason?
    let createdAt: Date
    let updatedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        url = try row.get("url")
        description = try row.get("description")
        events = try row.get("events")
        status = try row.get("status")
        disabledReason = try row.get("disabled_reason")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ id: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, url, description, events, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Like `find`, and locks the row until the end of the transaction.
    static func lock(_ id: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, url, description, events, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
        WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    /// The response to callers.
    struct Reply: Encodable {
        let id: ID<Webhook>
        let object = "webhook"
        let url: String
        let description: String?
        let events: [String]
        let status: Status
        let disabled_reason: DisabledReason?
        let created_at, updated_at: Date
        /// Only in the response to the creation.
        var secret: String?
    }

    var reply: Reply {
        Reply(
            id: id, url: url, description: description, events: events, status: status, disabled_reason: disabledReason,
            created_at: createdAt, updated_at: updatedAt)
    }
}
