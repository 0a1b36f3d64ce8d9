import Access
package import Billing
package import Foundation
import Ledger
package import Logging
import Postgres
import Tenancy

@testable package import Server

extension TestPlatform {
    /// Appends logins to the ledger, as `UsageEvent.insert` does, but for the sessions: for tests of what becomes of them.
    ///
    /// - Parameters:
    ///   - tenant: `acme` unless another is named.
    ///   - application: which of the tenant's applications, by its place.
    ///   - users: whose they are, in turns; each a new one unless they are named.
    package func append(
        _ times: [Date], of tenant: SeedResult.TenantResult? = nil, application: Int = 0, users: [UUID] = [], connection: String = "own"
    ) async throws {
        let tenant = tenant ?? acme
        let ids = times.map { _ in UUID() }
        let users = times.indices.map { users.isEmpty ? UUID() : users[$0 % users.count] }
        let owner = ID<Tenant>(tenant.id)!
        _ = try await ownerPool.run(
            """
            WITH event AS (
                INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT occurred_at, GREATEST(date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date,
                    (SELECT (max(period) + interval '1 month')::date FROM statement WHERE tenant_id = \(owner))),
                    \(owner), id, \(ID<Application>(tenant.applications[application].client_id)!), user_id, 'login', \(connection)
                FROM unnest(\(times), \(ids), \(users)) AS given (occurred_at, id, user_id)
                RETURNING *)
            INSERT INTO usage_arrival SELECT * FROM event
            """)
    }
}

extension TestPlatform {
    /// Adds up what has arrived, as the pass does that tests do without.
    package func rollUp(at now: Date = Date()) async throws {
        try await RollUp(pool: pool).add(at: now)
    }

    /// What closes months, as another process on the same database has it, at whatever time it is told.
    package func closing(logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) throws -> CloseStatements {
        CloseStatements(pool: try TestDatabase.pool(database.serverURL), simulatesClock: true, logger: logger)
    }

    /// Closes all that is due.
    @discardableResult
    package func close(at now: Date) async throws -> Int {
        try await closing().pass(at: now)
    }
}
