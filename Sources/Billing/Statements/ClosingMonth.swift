import Access
import Foundation
import Ledger
import Postgres
import Tenancy

/// A tenant's month that this process closes, while it holds the lease.
struct ClosingMonth: Sendable {
    /// A month that any process may take and close.
    struct Candidate: Sendable {
        let tenant: ID<Tenant>
        let period: Month

        init(_ row: Row) throws {
            (tenant, period) = (try row.get("tenant_id"), try row.get("period"))
        }
    }

    let tenant: ID<Tenant>
    let period: Month
    let id: ID<Statement>
    /// A purged tenant has neither an audit trail nor events.
    let isPurged: Bool
    /// The end of the lease. It also identifies the lease.
    private(set) var claimedUntil: Date

    /// The length of a lease without renewal, in seconds.
    static let lease: TimeInterval = 600

    /// The due months: each tenant's first open month whose grace time is over, if the tenant had a plan or logins in it. Included are
    /// months that another process has started and abandoned.
    ///
    /// - Parameter last: the newest month whose grace time is over.
    static func due(upTo last: Month, at now: Date, limit: Int) -> SQL {
        """
        SELECT tenant_id, period FROM statement WHERE state = 'closing' AND claimed_until <= \(now)
        UNION ALL (
        WITH open AS (
            SELECT t.id, COALESCE(
                (SELECT (max(s.period) + interval '1 month')::date FROM statement s WHERE s.tenant_id = t.id),
                LEAST(
                    (SELECT date_trunc('month', min(p.effective_at) AT TIME ZONE 'UTC')::date FROM tenant_plan p WHERE p.tenant_id = t.id),
                    (\(part: UsageEvent.firstMonth(of: "t.id"))))) AS month
            FROM (\(part: Tenant.slugs)) AS t
            WHERE NOT EXISTS (SELECT FROM statement s WHERE s.tenant_id = t.id AND s.state = 'closing')
        ), next AS (
            SELECT id, LEAST(
                (\(part: UsageEvent.firstMonth(of: "open.id", from: "open.month"))),
                CASE WHEN (SELECT p.plan FROM tenant_plan p
                        WHERE p.tenant_id = open.id AND p.effective_at < open.month::timestamp AT TIME ZONE 'UTC'
                        ORDER BY p.effective_at DESC LIMIT 1) IS NOT NULL
                    THEN open.month
                    ELSE (SELECT date_trunc('month', min(p.effective_at) AT TIME ZONE 'UTC')::date FROM tenant_plan p
                        WHERE p.tenant_id = open.id AND p.plan IS NOT NULL
                            AND p.effective_at >= open.month::timestamp AT TIME ZONE 'UTC')
                END) AS month
            FROM open WHERE month <= \(last))
        SELECT id, month FROM next WHERE month <= \(last) LIMIT \(limit))
        """
    }

    /// Takes a month, unless another process holds it or has closed it. After the commit, no event is added to it.
    /// The database refuses a month that has not ended (`take_statement`).
    /// - Parameter elapsed: the seconds since `now`. The lease starts after them.
    static func take(
        _ candidate: Candidate, at now: Date, after elapsed: TimeInterval = 0, in database: PlatformDatabase
    ) async throws -> ClosingMonth? {
        let (tenant, period) = (candidate.tenant, candidate.period)
        let until = now.addingTimeInterval(elapsed + lease)
        let taken = try await database.transaction { db in
            let (_, _, taken) = try await db.run(
                PriceLock.shared,
                // Logins in progress have their events now. Later logins find the month closed.
                LoginLock.exclusive(of: tenant),
                "SELECT taken_id, taken_is_purged FROM take_statement(\(tenant), \(period), \(now), \(until))")
            return taken
        }
        return try taken.first {
            ClosingMonth(
                tenant: tenant, period: period, id: try $0.get("taken_id"), isPurged: try $0.get("taken_is_purged"), claimedUntil: until)
        }
    }

    /// Extends the lease.
    /// - Throws: `Lost`.
    mutating func renew(until: Date, in database: PlatformDatabase) async throws {
        let renewed = try await database.run(
            """
            UPDATE statement SET claimed_until = \(until)
            WHERE tenant_id = \(tenant) AND period = \(period) AND state = 'closing' AND claimed_until = \(claimedUntil)
            """)
        guard renewed.affected == 1 else { throw Lost() }
        claimedUntil = until
    }

    /// Ends the lease, so that any process may take the month. It changes nothing if another process holds the lease.
    func release(at now: Date, in database: PlatformDatabase) async throws {
        _ = try await database.run(
            """
            UPDATE statement SET claimed_until = \(now)
            WHERE tenant_id = \(tenant) AND period = \(period) AND state = 'closing' AND claimed_until = \(claimedUntil)
            """)
    }

    /// Another process holds the lease.
    struct Lost: Error {}

    /// Checks the lease, and locks it until the transaction ends.
    /// - Throws: `Lost`.
    func hold(in db: Transaction) async throws {
        let held = try await db.run(
            """
            SELECT FROM statement WHERE tenant_id = \(tenant) AND period = \(period) AND state = 'closing' AND claimed_until = \(claimedUntil)
            FOR UPDATE
            """)
        guard held.count == 1 else { throw Lost() }
    }
}
