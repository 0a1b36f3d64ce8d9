package import Access
package import Foundation
package import Postgres
package import Web

/// An endpoint of a tenant for webhooks: a URL and the subscribed kinds of event.
package struct Webhook: Identified, Sendable {
    package static let idPrefix = "webhook"

    /// The limit per tenant.
    static let limit = 20

    package enum Status: String, Codable, CaseIterable, SQLValue, Sendable {
        case enabled, disabled
    }

    /// The form of the deliveries. It does not change, because the receiver depends on it.
    package enum Format: String, Codable, CaseIterable, SQLValue, Sendable {
        /// Standard Webhooks, with Espalier's events.
        case espalier
        /// WorkOS's body and signature.
        case workos

        /// The kinds of event that have this form.
        package var events: [WebhookEvent.Kind] {
            switch self {
            case .espalier: WebhookEvent.Kind.allCases
            case .workos: [.userCreated, .userDeleted, .sessionRevoked]
            }
        }
    }

    /// The server's reason for disabling the endpoint. Nil if the tenant did it.
    package enum DisabledReason: String, Codable, SQLValue, Sendable {
        /// The endpoint responded with 410.
        case gone
        /// No delivery succeeded for a long time.
        case failing
    }

    package let id: ID<Webhook>
    package let url: String
    let description: String?
    package let events: [String]
    package let format: Format
    package let status: Status
    let disabledReason: DisabledReason?
    package let createdAt: Date
    package let updatedAt: Date

    package init(_ row: Row) throws {
        id = try row.get("id")
        url = try row.get("url")
        description = try row.get("description")
        events = try row.get("events")
        format = try row.get("format")
        status = try row.get("status")
        disabledReason = try row.get("disabled_reason")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ id: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, url, description, events, format, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// - Parameter format: only the webhooks of this format; nil selects all.
    package static func page(_ page: PageRequest, of tenant: ID<Tenant>, format: Format? = nil) -> SQL {
        """
        SELECT id, url, description, events, format, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
        WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower) AND (\(format) IS NULL OR format = \(format))
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// Like `find`, and locks the row until the end of the transaction.
    static func lock(_ id: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, url, description, events, format, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
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
        let format: Format
        let status: Status
        let disabled_reason: DisabledReason?
        let created_at, updated_at: Date
        /// Only in the response to the creation.
        var secret: String?
    }

    var reply: Reply {
        Reply(
            id: id, url: url, description: description, events: events, format: format, status: status,
            disabled_reason: disabledReason, created_at: createdAt, updated_at: updatedAt)
    }
}
