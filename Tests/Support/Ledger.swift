package import Foundation
import Postgres
@testable package import Server
package import Tenancy
import Usage

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

    /// Has every month closed in which a tenant has events, by hand and for nothing: so that it can be purged.
    package func closeStatements(of tenant: ID<Tenant>) async throws {
        try await rollUp()
        _ = try await ownerPool.run([
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            SELECT tenant_id, billing_period, gen_random_uuid(), 'slug', 'name', now(), now() FROM usage_event
            WHERE tenant_id = \(tenant) GROUP BY tenant_id, billing_period ON CONFLICT DO NOTHING
            """,
            """
            UPDATE statement SET state = 'closed', closed_at = now(), digest = sha256(''),
                events = (SELECT count(*) FROM usage_event e WHERE e.tenant_id = statement.tenant_id AND billing_period = period)
            WHERE tenant_id = \(tenant) AND state = 'closing'
            """,
        ])
    }
}
