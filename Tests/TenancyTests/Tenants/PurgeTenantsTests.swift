import Access
import Foundation
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Purge tenants")
struct PurgeTenantsTests {
    /// Deletes tenants, with the time for a restoration already over.
    private static func expire(_ platform: TestPlatform, _ slugs: [String]) async throws {
        for slug in slugs { #expect(try await platform.call("DELETE", "/tenants/\(slug)?confirm=\(slug)").status == 200) }
        _ = try await platform.ownerPool.run("UPDATE tenant SET purge_after = now() - interval '1 second' WHERE slug = ANY(\(slugs))")
    }

    /// Aggregates new events, and closes the current month and those before it.
    private static func bill(_ platform: TestPlatform) async throws {
        try await platform.rollUp()
        try await platform.close(at: Date(timeIntervalSinceNow: 40 * 86400))
    }

    /// The number of a tenant's rows in each table of the catalog.
    private static func rows(_ platform: TestPlatform, of tenant: UUID) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in try await platform.ownerPool.run(TenantTables.all).map({ try $0.get("name", as: String.self) })
        where table != "tenant" {
            let rows = try await platform.ownerPool.run(
                SQL(unsafe: "SELECT count(*) AS n FROM \(table) WHERE tenant_id = '\(tenant.uuidString)'"))
            counts[table] = try rows[0].get("n")
        }
        return counts
    }

    /// The tables that still have rows of a purged tenant: its usage, its bills and their prices, without its users. And the tables that
    /// always belong to the platform, even if a test writes to them.
    private static let retained: Set = [
        "usage_day", "usage_users", "rate_card", "tenant_plan", "statement", "statement_term", "statement_line", "usage_sink",
        "usage_sink_batch",
        // Until the meter has accepted it (`RefusedUsageTests`).
        "usage_sink_event", "usage_sink_customer", "usage_meter_event", "usage_sink_difference",
    ]

    @Test("all data is deleted, usage and bills remain as numbers, the slug stays reserved, and no other tenant loses a row")
    func purged() async throws {
        try await TestPlatform.run { platform in
            let acme = try #require(ID<Tenant>(platform.acme.id)).uuid
            let globex = try #require(ID<Tenant>(platform.globex.id)).uuid
            for tenant in [platform.acme, platform.globex, platform.acme] {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(tenant))
                let back = try await browser.signIn(request)
                for _ in 0..<2 { _ = try await browser.redeem(try #require(back["code"]), request) }
            }
            try await TenantTables.fill(ID(acme), platform.ownerPool)
            // Its terms and lines are invented, so no server would close it.
            _ = try await platform.ownerPool.run(
                "UPDATE statement SET state = 'closed', events = 0, digest = sha256(''), closed_at = now() WHERE period = '2000-01-01'")
            // The passes would have done this by then.
            try await Self.bill(platform)
            try await Self.expire(platform, ["acme"])
            let before = try await Self.rows(platform, of: acme)
            // Aggregated events are no longer in their table, and the platform's rows belong to no tenant.
            let empty: Set = [
                "usage_arrival", "purged_table", "lost_host", "usage_archive", "digest_key", "master_key", "simulated_clock", "person",
                "person_device", "person_identity", "person_session", "person_totp", "passkey", "recovery_code",
            ]
            for (table, count) in before where !empty.contains(table) { #expect(count > 0, "\(table) is not tested") }
            let others = try await Self.rows(platform, of: globex)
            let trail = try await platform.ownerPool.run("SELECT count(*) AS n FROM audit_event WHERE tenant_id = \(acme)")
            let events = try trail[0].get("n", as: Int.self)

            #expect(try await platform.installation.purge.purgeDue() == 1)

            for (table, count) in try await Self.rows(platform, of: acme) {
                #expect(count == (Self.retained.contains(table) ? before[table] : 0), "\(table)")
            }
            #expect(try await Self.rows(platform, of: globex) == others)
            let usage = try await platform.ownerPool.run(
                """
                SELECT kind, connection, sum(events)::bigint AS events FROM usage_day
                WHERE tenant_id = \(acme) AND day > '2000-01-01' GROUP BY 1, 2
                """)
            #expect(usage.count == 1)
            #expect(try usage[0].get("kind") == "login")
            #expect(try usage[0].get("connection") == "own")
            #expect(try usage[0].get("events") == 2)

            // A tombstone and an event in the platform's trail remain.
            try await eventually("the end is in effect") {
                try await platform.call("GET", "/tenants/acme", key: platform.acme.api_keys[0].secret).status == 401
            }
            let stone = try await platform.call("GET", "/tenants/acme")
            #expect((stone.json["status"] as? String, stone.json["name"] as? String) == ("purged", "acme"))
            #expect(stone.json["connection_id"] == nil)
            #expect(stone.json["purge_after"] == nil)
            let event = try #require(try await platform.trail(of: nil, action: "purgeTenant").first)
            #expect(event["actor"] as? String == "system")
            #expect(event["subject"] as? String == platform.acme.id)
            let after = try #require(event["after"] as? [String: any Sendable])
            #expect(after["slug"] as? String == "acme")
            #expect(after["audit_events"] as? Int == events)
            #expect((after["audit_hash"] as? String)?.count == 64)
            #expect(try await platform.call("GET", "/tenants/acme/usage").json["logins"] as? Int == 2)

            #expect(
                try await platform.call("POST", "/tenants", ["slug": "acme", "name": "Acme"]).json["code"] as? String == "already_exists")
            for (method, path) in [("POST", "/restore"), ("POST", "/resume"), ("DELETE", "?confirm=acme")] {
                let answer = try await platform.call(method, "/tenants/acme\(path)")
                #expect((answer.status, answer.json["code"] as? String) == (409, "conflict"), "\(path)")
            }
            #expect(try await platform.call("PATCH", "/tenants/acme", ["name": "Acme"]).status == 409)
            // Another tenant learns nothing about it.
            for (method, path) in [("GET", ""), ("POST", "/restore")] {
                #expect(
                    try await platform.call(method, "/tenants/acme\(path)", key: platform.globex.api_keys[0].secret).status == 404)
            }
            #expect(try await TestBrowser(platform).get("\(platform.acme.issuer)/oauth2/jwks").status == 404)
            #expect(try await platform.installation.purge.purgeDue() == 0)
        }
    }

    @Test("a tenant with unbilled usage is not purged: while logins wait for aggregation, or a month is open")
    func unbilled() async throws {
        try await TestPlatform.run { platform in
            let acme = try #require(ID<Tenant>(platform.acme.id))
            try await platform.append([Date(), Date(timeIntervalSinceNow: -40 * 86400)])
            try await Self.expire(platform, ["acme"])
            #expect(try await platform.installation.purge.purgeDue() == 0)
            try await platform.rollUp()
            #expect(try await platform.installation.purge.purgeDue() == 0)
            try await Self.bill(platform)
            // A month that is being closed.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
                VALUES (\(acme), '2000-01-01', \(UUID()), 'acme', 'Acme', now(), now())
                """)
            #expect(try await platform.installation.purge.purgeDue() == 0)
            _ = try await platform.ownerPool.run("DELETE FROM statement WHERE tenant_id = \(acme) AND state = 'closing'")
            #expect(try await platform.installation.purge.purgeDue() == 1)
        }
    }

    @Test("many concurrent processes purge each tenant once")
    func together() async throws {
        try await TestPlatform.run { platform in
            let slugs = (0..<6).map { "t\($0)" }
            for slug in slugs { _ = try await platform.call("POST", "/tenants", ["slug": slug, "name": slug]) }
            try await Self.expire(platform, slugs)
            let others = try (0..<3).map { _ in try Self.process(platform) }
            let purged = try await withThrowingTaskGroup(of: Int.self) { group in
                for process in others + [platform.installation.purge] { group.addTask { try await process.purgeDue() } }
                return try await group.reduce(0, +)
            }
            // One process may have skipped a tenant that another one is purging.
            #expect(purged == slugs.count)
            #expect(try await platform.trail(of: nil, action: "purgeTenant").compactMap { $0["subject"] as? String }.count == slugs.count)
            let listed = try await platform.call("GET", "/tenants?status=purged")
            #expect((listed.json["data"] as? [[String: any Sendable]])?.count == slugs.count)
        }
    }

    /// The purger of another process on the same database.
    private static func process(_ platform: TestPlatform) throws -> PurgeTenants {
        PurgeTenants(
            database: PlatformDatabase(try TestDatabase.pool(platform.database.serverURL)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { Date() })
    }

    @Test("a tenant that is not deleted or can still be restored loses nothing")
    func notDue() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.call("DELETE", "/tenants/acme?confirm=acme")
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let globex = try #require(ID<Tenant>(platform.globex.id))
            #expect(try await platform.installation.purge.purgeDue() == 0)
            // The server's role cannot make the database do it either.
            for tenant in [acme, globex] {
                let reported = try await PlatformDatabase(platform.pool).run("SELECT purge_tenant(\(tenant)) AS purged")
                #expect(try reported[0].get("purged") == false)
            }
            #expect(try await platform.call("GET", "/tenants/acme").json["status"] as? String == "deleted")
        }
    }

    @Test("the server's role can neither shorten the time nor put its own table in front of the tenants")
    func role() async throws {
        try await TestPlatform.run { platform in
            let database = PlatformDatabase(platform.pool)
            let shortened: SQL = """
                UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() - interval '1 day'
                WHERE slug = 'acme'
                """
            // With its own catalog, in which the server's role owns everything.
            for disguise: [SQL] in [
                [],
                [
                    "CREATE TEMP TABLE pg_class ON COMMIT DROP AS SELECT oid, current_user::regrole::oid AS relowner FROM pg_catalog.pg_class",
                    "SELECT set_config('search_path', 'pg_temp, public, pg_catalog', true)",
                ],
            ] {
                await #expect {
                    _ = try await database.run(disguise + [shortened])
                } throws: { ($0 as? DatabaseError)?.constraint == "tenant_grace" }
            }
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let reported = try await database.transaction { db in
                _ = try await db.run(
                    "CREATE TEMP TABLE tenant ON COMMIT DROP AS SELECT \(acme) AS id, 'deleted' AS status, now() - interval '1 day' AS purge_after"
                )
                return try await db.run("SELECT purge_tenant(\(acme)) AS purged")[0].get("purged", as: Bool.self)
            }
            #expect(reported == false)
            #expect(try await platform.call("GET", "/tenants/acme").json["status"] as? String == "active")
        }
    }
}
