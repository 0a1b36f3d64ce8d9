import Foundation
package import Postgres

/// The database as one tenant may see it: every statement runs in a transaction that names the tenant
/// first, and row-level security hides all else.
///
/// Actions get this instead of the pool, so that a forgotten `WHERE tenant_id` finds nothing foreign.
package struct TenantDatabase: Sendable {
    package let tenant: ID<Tenant>
    private let pool: DatabasePool
    private let prelude: [SQL]

    package init(_ pool: DatabasePool, tenant: ID<Tenant>) {
        (self.pool, self.tenant) = (pool, tenant)
        prelude = ["SELECT set_config('espalier.tenant', \(tenant)::text, true)"]
    }

    /// One statement, one round trip.
    package func run(_ statement: SQL) async throws -> Rows {
        try await pool.run(statement, prelude: prelude)
    }

    /// All of them or none, in one round trip.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: prelude)
    }
}

/// The database for work that spans tenants: reading configuration before a tenant is known, creating
/// tenants. Its own type, so that it cannot be had by mistake.
package struct PlatformDatabase: Sendable {
    private let pool: DatabasePool
    private static let prelude: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

    package init(_ pool: DatabasePool) {
        self.pool = pool
    }

    package func run(_ statement: SQL) async throws -> Rows {
        try await pool.run(statement, prelude: Self.prelude)
    }

    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: Self.prelude)
    }
}
