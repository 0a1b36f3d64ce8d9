package import Foundation
package import Postgres

/// The database as one owner sees it: a tenant, or the platform for itself.
///
/// Every transaction names the owner first, and row-level security hides all other rows. Actions receive this type instead of the pool. So
/// a query without its `WHERE tenant_id` finds no other owner's rows.
package struct OwnerDatabase: Sendable {
    /// The tenant's ID, or the platform's ID.
    package let owner: UUID
    private let pool: DatabasePool
    private let prelude: [SQL]

    package init(_ pool: DatabasePool, owner: UUID) {
        (self.pool, self.owner) = (pool, owner)
        prelude = ["SELECT set_config('espalier.tenant', \(owner)::text, true)"]
    }

    package init(_ pool: DatabasePool, tenant: ID<Tenant>) {
        self.init(pool, owner: tenant.uuid)
    }

    /// Runs one statement in one round trip.
    package func run(_ statement: SQL) async throws -> Rows {
        try await pool.run(statement, prelude: prelude)
    }

    /// Runs all statements or none, in one round trip.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: prelude)
    }

    /// Runs the body in a transaction, which commits all or nothing. The body must not use the network.
    package func transaction<R: Sendable>(_ body: @Sendable (Transaction) async throws -> R) async throws -> R {
        try await pool.transaction(prelude: prelude, body)
    }

    /// The output of `COPY … TO STDOUT`, several rows at a time.
    /// - Parameter settings: further settings of its transaction with `set_config`, because COPY accepts no bound values.
    package func copyOut(_ sql: SQL, settings: [SQL], upTo limit: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: prelude + settings, upTo: limit)
    }
}

/// The database for work that spans tenants, such as reading configuration before a tenant is known, or creating tenants.
///
/// It is a separate type, so that code cannot obtain it by mistake.
package struct PlatformDatabase: Sendable {
    private let pool: DatabasePool
    /// Makes every owner's rows visible to a transaction of the outbox's worker, which knows no tenants.
    package static let prelude: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

    package init(_ pool: DatabasePool) {
        self.pool = pool
    }

    package func run(_ statement: SQL) async throws -> Rows {
        try await pool.run(statement, prelude: Self.prelude)
    }

    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: Self.prelude)
    }

    package func transaction<R: Sendable>(_ body: @Sendable (Transaction) async throws -> R) async throws -> R {
        try await pool.transaction(prelude: Self.prelude, body)
    }

    /// Like the method of `OwnerDatabase`, over every tenant's rows.
    package func copyOut(_ sql: SQL, settings: [SQL], upTo limit: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: Self.prelude + settings, upTo: limit)
    }

    /// Removes rows in batches, so that no transaction is long.
    /// - Parameter delete: removes at most the given number of rows.
    package func remove(batch: Int = 1000, _ delete: (Int) -> SQL) async throws {
        while try await run(delete(batch)).affected >= batch {}
    }
}
