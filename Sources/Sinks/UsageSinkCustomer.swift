import Access
import Foundation
import Postgres

/// What Stripe calls a tenant.
struct UsageSinkCustomer: Sendable {
    let tenant: ID<Tenant>
    /// Nil where its logins are not sent there.
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

    /// What callers see.
    struct Reply: Encodable {
        let id: ID<Tenant>
        let object = "usage_sink_customer"
        let customer_id: String?
        let created_at, updated_at: Date

        private enum CodingKeys: String, CodingKey { case id, object, customer_id, created_at, updated_at }

        /// `customer_id` also where it is null: it says something.
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

    /// Makes due what of a tenant's waits in the sink.
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
