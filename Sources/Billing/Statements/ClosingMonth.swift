import Access
import Foundation
import Ledger
import Postgres
import Tenancy

/// A month of a tenant that is this process's to close, for as long as it says so.
struct ClosingMonth: Sendable {
    /// One that is to be closed, by whoever takes it.
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
    /// Of a purged tenant there is no audit trail any more, nor any event.
    let isPurged: Bool
    /// Until when no other process takes it. It is also what tells whether one has.
    private(set) var claimedUntil: Date

    /// How long a process may be silent that has a month in its hands, in seconds.
    static let lease: TimeInterval = 600

    /// What is to be closed: of every tenant the first month that is not and whose time has come, if it had a plan or logins in it;
    /// and what a process has begun and left.
    ///
    /// - Parameter last: the newest month whose time has come.
    static func due(upTo last: Month, at now: Date, limit: Int) -> SQL {
        """
        SELECT tenant_id, period FROM statement WHERE state = 'closing' AND claimed_until <= \(now)
        UNION ALL (
        WITH open AS (
            SELECT t.id, COALESCE(
                (SELECT (max(s.period) + interval '1 month')::date FROM statement s WHERE s.tenant_id = t.id),
                LEAST(
                    (SELECT date_trunc('month', min(p.effective_at) AT TIME ZONE 'UTC')::date FROM tenant_plan p WHERE p.tenant_id = t.id),
                    (SELECT min(e.billing_period) FROM usage_event e WHERE e.tenant_id = t.id))) AS month
            FROM tenant t
            WHERE NOT EXISTS (SELECT FROM statement s WHERE s.tenant_id = t.id AND s.state = 'closing')
        ), next AS (
            SELECT id, LEAST(
                (SELECT min(e.billing_period) FROM usage_event e WHERE e.tenant_id = open.id AND e.billing_period >= open.month),
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

    /// Takes a month, unless another process has it, or has closed it. After this has committed, no event gets into it.
    /// The database refuses a month that has not ended (`take_statement`).
    /// - Parameter elapsed: how long ago now is, in seconds: from here on it is this process's for the lease.
    static func take(
        _ candidate: Candidate, at now: Date, after elapsed: TimeInterval = 0, in database: PlatformDatabase
    ) async throws -> ClosingMonth? {
        let (tenant, period) = (candidate.tenant, candidate.period)
        let until = now.addingTimeInterval(elapsed + lease)
        let taken = try await database.transaction { db in
            try await db.run([
                PriceLock.shared,
                // Who was signing in has its event by now; who does from here on finds the month closed.
                LoginLock.exclusive(of: tenant),
                "SELECT taken_id, taken_is_purged FROM take_statement(\(tenant), \(period), \(now), \(until))",
            ])[2]
        }
        return try taken.first {
            ClosingMonth(
                tenant: tenant, period: period, id: try $0.get("taken_id"), isPurged: try $0.get("taken_is_purged"), claimedUntil: until)
        }
    }

    /// Keeps it for another while.
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

    /// Another process has it by now.
    struct Lost: Error {}

    /// Makes sure that it is still this process's, until the transaction ends.
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
