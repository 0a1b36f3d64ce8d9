import Access
import Foundation
import Postgres

/// The customer at Stripe that stands for a tenant.
struct UsageSinkCustomer: Sendable {
    let tenant: ID<Tenant>
    /// Nil if the tenant's logins are not sent to Stripe.
    let customer: String?
    let createdAt, updatedAt: Date

    init(_ row: Row) throws {
        tenant = try row.get("tenant_id")
        customer = try row.get("customer_id")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ tenant: ID<Tenant>) -> SQL {
        "SELECT tenant_id, customer_id, created_at, updated_at FROM usage_sink_customer WHERE tenant_id = \(tenant) FOR UPDATE"
    }

    /// The response to callers.
    struct Reply: Encodable {
        let id: ID<Tenant>
        let object = "usage_sink_customer"
        let customer_id: String?
        let created_at, updated_at: Date

        private enum CodingKeys: String, CodingKey { case id, object, customer_id, created_at, updated_at }

        /// Encodes `customer_id` even if it is null, because null has a meaning.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(object, forKey: .object)
            try container.encode(customer_id, forKey: .customer_id)
            try container.encode(created_at, forKey: .created_at)
            try container.encode(updated_at, forKey: .updated_at)
        }
    }

    var reply: Reply { Reply(id: tenant, customer_id: customer, created_at: createdAt, updated_at: updatedAt) }

    /// Makes the waiting events of a tenant due.
    static func wake(_ tenant: ID<Tenant>) -> [SQL] {
        [
            "UPDATE usage_sink_customer SET failures = 0, resume_at = '-infinity' WHERE tenant_id = \(tenant)",
            """
            UPDATE usage_meter_event SET due_at = '-infinity'
            WHERE tenant_id = \(tenant) AND taken_at IS NULL AND refused_at IS NULL
                AND fixed_at IS NOT NULL
            """,
        ]
    }
}
