import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    /// Sets the customer of a tenant. Waiting and rejected events of the tenant are sent at once.
    @Sendable
    func setUsageSinkCustomer(_ request: Request, _ call: TenantContext) async throws -> Response {
        let database = try call.platformDatabase(pool, to: "set a tenant's customer at Stripe")
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        // Null is valid too: the tenant's logins are not sent.
        let isNull = fields.isNull("customer_id")
        let customer = fields.text("customer_id", 1...255, isRequired: !isNull) { text in
            Stripe.isCustomerID(text) ? nil : "A Stripe customer ID has only letters, digits, `_` and `-`. Example: `cus_NffrFeUfNV2Hib`."
        }
        try fields.finish()
        if let customer { try await requireAtStripe(customer, database) }

        let now = now()
        let tenant = call.tenant
        let set = try await database.transaction { db in
            let before = try await db.run(UsageSinkCustomer.find(tenant)).first(UsageSinkCustomer.init)
            let set = try await db.run(
                """
                INSERT INTO usage_sink_customer (tenant_id, customer_id, created_at, updated_at)
                VALUES (\(tenant), \(customer), \(now), \(now))
                ON CONFLICT (tenant_id) DO UPDATE SET customer_id = excluded.customer_id,
                    updated_at = GREATEST(excluded.updated_at, usage_sink_customer.updated_at + interval '1 microsecond')
                RETURNING tenant_id, customer_id, created_at, updated_at
                """
            ).first(UsageSinkCustomer.init)
            guard let set else { throw Problem.notFound("tenant") }
            _ = try await db.run(
                // Stripe may have rejected events because it did not know the former customer.
                UsageSink.takeBack(of: tenant) + UsageSinkCustomer.wake(tenant) + [
                    AuditEvent.insert(
                        "setUsageSinkCustomer", of: tenant.description, owner: tenant.uuid, by: call.origin, before: before?.reply,
                        after: set.reply, at: now)
                ])
            return set
        }
        return try .resource(set.reply, updatedAt: set.updatedAt)
    }

    /// Stripe responds with 200 to meter events of unknown customers, and never counts them. So this checks the customer first.
    private func requireAtStripe(_ customer: String, _ database: PlatformDatabase) async throws {
        guard let sink = try await database.run(UsageSink.find).first(UsageSink.init), sink.format == .stripe else { return }
        let stripe = Stripe(url: sink.url, secret: try sink.secret(keyring), allowsPrivate: allowsPrivate, timeout: .seconds(10))
        do {
            switch try await stripe.customer(customer) {
            case .known: return
            case .deleted: throw Problem.invalid(.init("customer_id", "This customer was deleted at Stripe. Use another one."))
            case .unknown:
                throw Problem.invalid(
                    .init(
                        "customer_id",
                        "Stripe has no customer with this ID. Check the ID. The sink's secret must belong to the same account and mode."))
            }
        } catch let failure as Stripe.Failure {
            switch failure.status {
            case let status? where [401, 403].contains(status):
                throw Problem(
                    .conflict,
                    "Stripe rejected the sink's secret with HTTP status \(status). Allow it to read customers, or change it with `updateUsageSink`."
                )
            case nil where failure.reason == "url_not_stripe":
                throw Problem(.conflict, "The sink's `url` does not end in \(Stripe.path). Change it with `updateUsageSink`.")
            default:
                throw Problem(
                    .unavailable,
                    "The customer cannot be read at Stripe (\(failure.status.map(String.init) ?? failure.reason ?? "-")). Retry in a few seconds."
                )
            }
        }
    }
}
