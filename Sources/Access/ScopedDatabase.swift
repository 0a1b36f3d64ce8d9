package import Foundation
package import Postgres

/// The database as one owner may see it, a tenant or the platform for itself: every transaction names the owner first, and
/// row-level security hides all else.
///
/// Actions get this instead of the pool, so that a forgotten `WHERE tenant_id` finds nothing foreign.
package struct OwnerDatabase: Sendable {
    /// A tenant's id, or the platform's.
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

    /// One statement, one round trip.
    package func run(_ statement: SQL) async throws -> Rows {
        try await pool.run(statement, prelude: prelude)
    }

    /// All of them or none, in one round trip.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: prelude)
    }

    /// What the body runs, or nothing of it. The network stays outside.
    package func transaction<R: Sendable>(_ body: @Sendable (Transaction) async throws -> R) async throws -> R {
        try await pool.transaction(prelude: prelude, body)
    }

    /// The output of a `COPY … TO STDOUT`, several rows at a time.
    /// - Parameter settings: further settings of its transaction, by `set_config`: COPY takes no bound values.
    package func copyOut(_ sql: SQL, settings: [SQL], upTo limit: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: prelude + settings, upTo: limit)
    }
}

/// The database for work that spans tenants: reading configuration before a tenant is known, creating
/// tenants. Its own type, so that it cannot be had by mistake.
package struct PlatformDatabase: Sendable {
    private let pool: DatabasePool
    /// What makes a transaction see every owner's rows: for the outbox's worker, which knows no tenants.
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

    /// As the owner's, over every tenant's rows.
    package func copyOut(_ sql: SQL, settings: [SQL], upTo limit: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: Self.prelude + settings, upTo: limit)
    }

    /// Removes all that a statement would, a batch at a time, so that no transaction is long.
    /// - Parameter delete: removes as many rows as it is told, or fewer where there are no more.
    package func remove(batch: Int = 1000, _ delete: (Int) -> SQL) async throws {
        while try await run(delete(batch)).affected >= batch {}
    }
}
