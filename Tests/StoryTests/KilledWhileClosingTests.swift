import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A month is billed once and completely, even if the process that closes it dies.
@Suite("Killed while closing")
struct KilledWhileClosingTests {
    private static let months = 3
    private static let logins = 200_000
    private static let kills = 8

    @Test("a server killed while it closes months leaves each to another, which closes it once and with all its events")
    func closedOnce() async throws {
        let platform = try await ServedPlatform.make()
        let owner = try TestDatabase.pool(platform.ownerURL) { $0.statementTimeout = .seconds(120) }
        let tenants = platform.seeded.tenants.map { ID<Tenant>($0.id)! }
        // The last months that can be closed now, full of logins. Their parts of the ledger exist in advance, as in an installation of that
        // age. Otherwise, the servers would move all events while they close the months.
        _ = try await owner.run(
            """
            SELECT create_usage_partition(month::date) FROM generate_series(date_trunc('month', now() - interval '4 months'),
                date_trunc('month', now() - interval '2 months'), interval '1 month') AS month
            """)
        for tenant in tenants {
            _ = try await owner.run([
                "UPDATE tenant_plan SET effective_at = date_trunc('month', now() - interval '4 months') WHERE tenant_id = \(tenant)",
                """
                INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT month + n * interval '10 seconds', month::date, \(tenant), gen_random_uuid(), \(tenant), \(tenant), 'login', 'own'
                FROM generate_series(date_trunc('month', now() - interval '4 months'), date_trunc('month', now() - interval '2 months'),
                    interval '1 month') AS month, generate_series(1, \(Self.logins)) AS n
                """,
            ])
        }
        func states() async throws -> (closing: Int, closed: Int) {
            let row = try await owner.run(
                """
                SELECT count(*) FILTER (WHERE state = 'closing') AS closing,
                    count(*) FILTER (WHERE state = 'closed' AND period <= date_trunc('month', now() - interval '2 months')) AS closed
                FROM statement
                """)[0]
            return (try row.get("closing"), try row.get("closed"))
        }
        let all = Self.months * tenants.count

        var killedWhileClosing = 0
        for _ in 1...Self.kills where try await states().closed < all {
            let server = try await platform.serve(at: .init())
            try await eventually("a month is being closed, or all are") {
                let states = try await states()
                return states.closing > 0 || states.closed == all
            }
            server.signal(SIGKILL)
            _ = try await server.exit()
            if try await states().closing > 0 { killedWhileClosing += 1 }
            // As if the lease had ended.
            _ = try await owner.run("UPDATE statement SET claimed_until = now() WHERE state = 'closing'")
        }
        #expect(killedWhileClosing > 0)
        // Two concurrent passes close the rest.
        let servers = [try await platform.serve(at: .init()), try await platform.serve(at: .init())]
        do {
            try await eventually("all months are closed", within: .seconds(300)) { try await states().closed == all }
        } catch {
            throw Program.StillRunning(limit: .seconds(300), said: servers.map(\.talk).joined(separator: "\n"))
        }

        let reported = try await owner.run(
            """
            SELECT s.events, (SELECT sum(quantity)::bigint FROM statement_line l WHERE l.tenant_id = s.tenant_id AND l.period = s.period) AS billed,
                (SELECT count(*) FROM statement_line l WHERE l.tenant_id = s.tenant_id AND l.period = s.period) AS lines
            FROM statement s WHERE s.state = 'closed' AND s.period <= date_trunc('month', now() - interval '2 months')
            """)
        #expect(reported.count == all)
        for row in reported {
            #expect(try row.get("events") == Self.logins)
            #expect(try row.get("billed") == Self.logins)
            #expect(try row.get("lines") == 1)
        }
        for server in servers {
            server.signal(SIGTERM)
            #expect(try await server.exit().code == 0)
        }
    }
}
