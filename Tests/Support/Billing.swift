package import Access
@testable package import Billing
package import Foundation
@testable import Ledger
package import Postgres
package import Server

/// Parses a moment in the form of RFC 3339, to the microsecond.
package func moment(_ text: String) throws -> Date {
    let (whole, fraction) = (text.prefix(19), text.dropFirst(19).dropLast())
    return try Date("\(whole)Z", strategy: .iso8601).addingTimeInterval(fraction.isEmpty ? 0 : Double("0\(fraction)")!)
}

extension TestPlatform {
    /// Closes all due months.
    /// - Parameter pool: Default: a pool of its own, like another process.
    @discardableResult
    package func close(at now: String, over pool: DatabasePool? = nil) async throws -> Int {
        try await closing(over: pool).pass(at: try moment(now))
    }

    /// Whether a transaction waits for an advisory lock of this class.
    package func isWaitedFor(_ lock: Int) async throws -> Bool {
        try await !ownerPool.run(
            """
            SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = \(lock) AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        ).isEmpty
    }

    /// Sets the history of a tenant's plans, instead of one plan since its creation.
    package func plans(_ changes: [(String, Tenant.Plan?)], of tenant: SeedResult.TenantResult? = nil) async throws {
        let tenant = ID<Tenant>((tenant ?? acme).id)!
        _ = try await ownerPool.run(
            ["DELETE FROM tenant_plan WHERE tenant_id = \(tenant)"]
                + (try changes.map {
                    "INSERT INTO tenant_plan (tenant_id, effective_at, plan) VALUES (\(tenant), \(try moment($0.0)), \($0.1))"
                }))
    }

    /// Writes a rate card of a plan, or Acme's own if no plan is given.
    package func rateCard(
        _ plan: Tenant.Plan? = nil, version: Int = 2, from: String, currency: String = "USD", baseFee: Int = 0, included: Int = 0,
        minimum: Int = 0, mode: Prices.TierMode = .graduated, tiers: [(Int?, Int)] = [(nil, 5000)],
        silent: Int = 0
    ) async throws {
        let owner = plan == nil ? ID<Tenant>(acme.id)!.uuid : .platform
        let json = try JSONEncoder().encode(tiers.map { Prices.Tier(upTo: $0.0, unitPriceMicros: $0.1) })
        _ = try await ownerPool.run(
            """
            INSERT INTO rate_card (tenant_id, id, plan, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, silent_login_micros, created_at)
            VALUES (\(owner), \(UUID()), \(plan), \(version), \(Day(from)!), \(currency), \(baseFee), \(included), \(minimum), \(mode),
                \(JSON(bytes: Array(json))), \(silent), now())
            """)
    }

    /// A tenant's statement in the response to its own key.
    package func statement(_ name: String, of tenant: SeedResult.TenantResult? = nil) async throws -> TestBrowser.Answer {
        let tenant = tenant ?? acme
        return try await call("GET", "/tenants/\(tenant.slug)/statements/\(name)", key: tenant.api_keys[0].secret)
    }

    /// The lines of Acme's statement: kind, quantity, amount.
    package func lines(_ period: String) async throws -> [String] {
        let lines = try await statement(period).json["lines"] as? [[String: any Sendable]] ?? []
        return lines.map { "\($0["kind"]!) \($0["quantity"]!) \($0["amount"]!) \($0["currency"]!)" }
    }
}

extension Transaction {
    /// Whether another transaction waits for a lock of this one. It does not use `pg_stat_activity`, because a transaction sees only one
    /// snapshot of that view.
    package var isWaitedFor: Bool {
        get async throws {
            try await !run("SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))").isEmpty
        }
    }
}
