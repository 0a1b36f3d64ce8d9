import Access
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import Tenancy
import TestSupport

let january = Month(year: 2025, month: 1)

/// A folder that is deleted with the value.
final class ArchiveFolderOfTest: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "usage-archive-\(UUID())").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted() }
    }

    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }
}

extension TestPlatform {
    /// Logins in January 2025, including its first and last microsecond, of both tenants.
    func fillJanuary(_ count: Int = 40) async throws {
        let ends = [january.start, january.end.addingTimeInterval(-0.000001)]
        let times = (0..<count).map { january.start.addingTimeInterval(Double($0) * 60000 + 0.123456) }
        try await append(ends + times)
        try await append(times, of: globex, connection: "shared")
        _ = try await UsagePartitions(database: PlatformDatabase(pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            .pass(at: january.start)
        try await addUp()
    }

    /// Aggregates waiting events, as the rollup does.
    func addUp() async throws {
        _ = try await ownerPool.run([
            """
            INSERT INTO usage_day SELECT tenant_id, (occurred_at AT TIME ZONE 'UTC')::date, billing_period, application_id, connection, kind,
                count(*) FROM usage_arrival GROUP BY 1, 2, 3, 4, 5, 6
            """,
            """
            INSERT INTO usage_month_user SELECT tenant_id, date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date, user_id,
                application_id, connection, 1 FROM usage_arrival GROUP BY 1, 2, 3, 4, 5
            """,
            """
            INSERT INTO usage_users SELECT tenant_id, 'month', month, '00000000-0000-0000-0000-000000000000', '', count(*)
                FROM usage_month_user GROUP BY 1, 3
            """,
            "DELETE FROM usage_arrival",
        ])
    }

    /// Closes a tenant's month as `CloseStatements` does, without the lines: SHA-256 over the events as COPY writes them.
    func closeMonth(_ month: Month = january, of tenants: [SeedResult.TenantResult]? = nil) async throws {
        for tenant in tenants ?? [acme, globex] {
            let id = ID<Tenant>(tenant.id)!
            _ = try await ownerPool.run(
                """
                INSERT INTO statement (tenant_id, period, id, state, tenant_slug, tenant_name, claimed_until, events, digest, closing_at,
                    closed_at)
                SELECT \(id), \(month), \(UUID()), 'closed', \(tenant.slug), \(tenant.slug), now(), count(*), sha256(convert_to(
                    COALESCE(string_agg(concat_ws(E'\\t', occurred_at::text, id, application_id, user_id, kind, connection) || E'\\n', ''
                        ORDER BY occurred_at, id), ''), 'UTF8')), now(), now()
                FROM usage_event WHERE tenant_id = \(id) AND billing_period = \(month)
                """)
        }
    }

    /// The whole ledger, one line per event, in order.
    func ledgerLines() async throws -> [String] {
        try await ownerPool.run(
            """
            SELECT concat_ws(',', occurred_at::text, billing_period, tenant_id, id, application_id, user_id, kind, connection) AS line
            FROM usage_event ORDER BY tenant_id, billing_period, occurred_at, id
            """
        ).map { try $0.get("line") }
    }

    func partitions() async throws -> [Month] {
        try await pool.run("SELECT month FROM usage_partitions() AS month").map { try $0.get("month") }
    }
}
