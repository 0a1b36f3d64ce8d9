import Access
package import Billing
package import Foundation
import Ledger
package import Logging
package import Postgres
import Tenancy

@testable package import Server

extension TestPlatform {
    /// Appends logins, or silent sign-ins, to the ledger as `UsageEvent.insert` does, but without sessions, for tests of the later steps.
    ///
    /// - Parameters:
    ///   - tenant: The tenant's slug. Default: `acme`.
    ///   - application: The index of the tenant's application.
    ///   - users: The users in turn. By default, each login has a new user.
    ///   - kind: The kind of the events.
    package func append(
        _ times: [Date], of tenant: SeedResult.TenantResult? = nil, application: Int = 0, users: [UUID] = [], connection: String = "own",
        kind: String = "login"
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
                    \(owner), id, \(ID<Application>(tenant.applications[application].client_id)!), user_id, \(kind), \(connection)
                FROM unnest(\(times), \(ids), \(users)) AS given (occurred_at, id, user_id)
                RETURNING *)
            INSERT INTO usage_arrival SELECT * FROM event
            """)
    }
}

extension TestPlatform {
    /// Adds up the events that have arrived, as the pass does, which does not run in tests.
    package func rollUp(at now: Date = Date()) async throws {
        try await RollUp(database: PlatformDatabase(pool)).add(at: now)
    }

    /// Closes months like another process on the same database, at any given time.
    package func closing(
        over pool: DatabasePool? = nil, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws -> CloseStatements {
        CloseStatements(
            database: PlatformDatabase(try pool ?? TestDatabase.pool(database.serverURL)), simulatesClock: true, logger: logger)
    }

    /// Closes all due months.
    @discardableResult
    package func close(at now: Date) async throws -> Int {
        try await closing().pass(at: now)
    }
}
