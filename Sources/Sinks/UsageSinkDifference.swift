import Access
import Foundation
import Postgres

/// An hour of a customer in which the count of Stripe's meter differs from the sent logins.
struct UsageSinkDifference: Identified, Sendable {
    static let idPrefix = "usagedifference"

    let id: ID<UsageSinkDifference>
    let customer: String
    let tenants: [UUID]
    let startsAt: Date
    let sent, counted: Int
    let foundAt, checkedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        customer = try row.get("customer_id")
        tenants = try row.get("tenants")
        startsAt = try row.get("starts_at")
        sent = try row.get("sent")
        counted = try row.get("counted")
        foundAt = try row.get("found_at")
        checkedAt = try row.get("checked_at")
    }

    /// The response to callers.
    struct Reply: Encodable {
        let id: ID<UsageSinkDifference>
        let object = "usage_sink_difference"
        let customer_id: String
        let tenant_ids: [ID<Tenant>]
        let starts_at, ends_at: Date
        let sent, counted: Int
        let found_at, checked_at: Date
    }

    var reply: Reply {
        Reply(
            id: id, customer_id: customer, tenant_ids: tenants.map { ID<Tenant>($0) }, starts_at: startsAt,
            ends_at: startsAt.addingTimeInterval(3600), sent: sent, counted: counted, found_at: foundAt, checked_at: checkedAt)
    }
}
