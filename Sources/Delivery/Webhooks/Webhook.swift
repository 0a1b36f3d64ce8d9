import Access
import Foundation
import Postgres

/// Where a tenant hears of what happens: a URL, and the kinds of event it asked for.
struct Webhook: Identified, Sendable {
    static let idPrefix = "webhook"

    /// The most of one tenant.
    static let limit = 20

    enum Status: String, Codable, CaseIterable, SQLValue {
        case enabled, disabled
    }

    /// Why it was disabled, when that was not the tenant's own doing.
    enum DisabledReason: String, Codable, SQLValue {
        /// It answered 410.
        case gone
        /// Nothing could be delivered for long.
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

    /// As `find`; nobody else changes it until the transaction's end.
    static func lock(_ id: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, url, description, events, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
        WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    /// What callers see.
    struct Reply: Encodable {
        let id: ID<Webhook>
        let object = "webhook"
        let url: String
        let description: String?
        let events: [String]
        let status: Status
        let disabled_reason: DisabledReason?
        let created_at, updated_at: Date
        /// Once, when it is created.
        var secret: String?
    }

    var reply: Reply {
        Reply(
            id: id, url: url, description: description, events: events, status: status, disabled_reason: disabledReason,
            created_at: createdAt, updated_at: updatedAt)
    }
}
