package import Foundation
package import Postgres

/// The database as one owner sees it: a tenant, or the platform for itself.
///
/// Every transaction names the owner first, and row-level security hides all other rows. Actions receive this type instead of the pool. So
/// a query without its `WHERE tenant_id` finds no other owner's rows.
package struct OwnerDatabase: StatementRunner {
    /// The tenant's ID, or the platform's ID.
    package let owner: UUID
    private let pool: DatabasePool
    private var prelude: [SQL]
    private var isRepeatable = false

    package init(_ pool: DatabasePool, owner: UUID) {
        (self.pool, self.owner) = (pool, owner)
        prelude = ["SELECT set_config('espalier.tenant', \(owner)::text, true)"]
    }

    /// The same database. Each of its transactions takes an advisory lock in the statement that names the owner, so all its statements see
    /// what was committed before the lock.
    package func locking(_ lock: SQL) -> OwnerDatabase {
        var database = self
        database.prelude = ["SELECT set_config('espalier.tenant', \(owner)::text, true), \(part: lock)"]
        return database
    }

    package init(_ pool: DatabasePool, tenant: ID<Tenant>) {
        self.init(pool, owner: tenant.uuid)
    }

    /// The same database for statements that may take effect twice without a difference: reads, and changes that recognize their own first
    /// effect. They are also repeated after a connection was lost without an answer.
    package var repeatable: OwnerDatabase {
        var database = self
        database.isRepeatable = true
        return database
    }

    /// Runs all statements or none, in one round trip.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: prelude, isRepeatable: isRepeatable)
    }

    /// Runs the body in a transaction, which commits all or nothing. The body must not use the network.
    package func transaction<R: Sendable>(_ body: @Sendable (Transaction) async throws -> R) async throws -> R {
        try await pool.transaction(prelude: prelude, body)
    }

    /// The output of `COPY … TO STDOUT`, several rows at a time.
    /// - Parameter settings: further settings of its transaction with `set_config`, because COPY accepts no bound values.
    package func copyOut(_ sql: SQL, settings: [SQL], atLeast size: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: prelude + settings, atLeast: size)
    }
}

/// Opens the database of the owner that an entry of the outbox names. It gives no sight of several owners at once.
package struct OwnerDatabases: Sendable {
    private let pool: DatabasePool

    package init(_ pool: DatabasePool) {
        self.pool = pool
    }

    package subscript(owner: UUID) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }
}

/// The database for one kind of work that spans tenants, such as finding the caller of a request, or closing months.
///
/// It is a separate type, so that code cannot obtain it by mistake. Each value is created for one `Work`: operators' requests by their
/// contexts, background work by `Recurring` and `Server`. A tenant's request receives an `OwnerDatabase`.
package struct PlatformDatabase: StatementRunner {
    package let work: Work
    private let pool: DatabasePool
    private var isRepeatable = false
    private static let prelude: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

    /// The statement that gives a transaction the same sight. The outbox's worker runs it, because its target knows no tenants.
    package static func prelude(for _: Work) -> [SQL] { prelude }

    package init(_ pool: DatabasePool, for work: Work) {
        (self.pool, self.work) = (pool, work)
    }

    /// Like the property of `OwnerDatabase`.
    package var repeatable: PlatformDatabase {
        var database = self
        database.isRepeatable = true
        return database
    }

    /// The same database, restricted to one owner's rows.
    package func restricted(to owner: UUID) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }

    package func restricted(to tenant: ID<Tenant>) -> OwnerDatabase {
        OwnerDatabase(pool, tenant: tenant)
    }

    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await pool.run(statements, prelude: Self.prelude, isRepeatable: isRepeatable)
    }

    package func transaction<R: Sendable>(_ body: @Sendable (Transaction) async throws -> R) async throws -> R {
        try await pool.transaction(prelude: Self.prelude, body)
    }

    /// Like the method of `OwnerDatabase`, over every tenant's rows.
    package func copyOut(_ sql: SQL, settings: [SQL], atLeast size: Int) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        pool.copyOut(sql, prelude: Self.prelude + settings, atLeast: size)
    }

    /// Removes rows in batches, so that no transaction is long.
    /// - Parameter delete: removes at most the given number of rows.
    package func remove(batch: Int = 1000, _ delete: (Int) -> SQL) async throws {
        while try await run(delete(batch)).affected >= batch {}
    }
}
