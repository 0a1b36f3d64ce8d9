import Foundation
import Testing

/// Each table belongs to one target, and no SQL outside the target names the table (docs/architecture.md). A target offers the
/// functions and the parts of statements that other targets need.
@Suite("Table ownership")
struct TableOwnershipTests {
    /// The tables and views of each target.
    static let owned: [String: Set<String>] = [
        "Access": ["api_key", "audit_event", "idempotency_key"],
        "Delivery": ["webhook_delivery", "webhook_endpoint", "webhook_event", "webhook_listener", "webhook_secret"],
        "Mail": ["mail", "mail_status"],
        "People": [
            "custom_role", "invitation", "membership", "passkey", "person", "person_session", "person_totp", "recovery_code",
            "support_access",
        ],
        "PeopleSSO": ["person_identity", "sso_connection", "sso_domain"],
        "ClientKeys": ["single_use"],
        "Tenancy": ["apple_key", "application", "application_secret", "connection", "purged_table", "tenant"],
        "Ledger": [
            "purged_usage", "usage_archive", "usage_arrival", "usage_day", "usage_event", "usage_event_default",
            "usage_month_user", "usage_users",
        ],
        // A trigger of `tenant` writes `tenant_plan`.
        "Billing": ["budget", "rate_card", "statement", "statement_line", "statement_term", "tenant_plan"],
        "Sinks": [
            "usage_meter_event", "usage_sink", "usage_sink_batch", "usage_sink_customer", "usage_sink_difference", "usage_sink_event",
        ],
        "Users": ["identity", "team_transfer", "team_transfer_count", "team_transfer_user", "tenant_user"],
        "Signing": ["signing_key"],
        "APIs": ["api", "api_application"],
        "BrowserSessions": ["browser_session"],
        "Sessions": ["backchannel_logout", "revocation", "session", "session_life"],
        "Accounts": ["apple_notification", "apple_revocation", "consent", "user_deletion"],
        "Devices": ["device_authorization"],
        "Terminal": ["person_device"],
        "AuthKit": ["authkit_user"],
        "Branding": ["branding", "logo"],
        "Domains": ["domain", "lost_host"],
        "Registration": ["client_registration", "initial_access_token"],
        "Server": ["digest_key", "master_key", "simulated_clock"],
        "Outbox": ["outbox"],
        "Postgres": ["schema_migration"],
    ]

    /// The files that name a table of another target. Remove an entry when its file no longer does. Add none.
    private static let exceptions: [String: Set<String>] = [:]

    /// These measure or simulate the server, and write rows that the server would write.
    private static let tools: Set<String> = ["Bench", "AppleSimulator"]

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    static func files(_ folder: String, _ suffix: String) throws -> [String: String] {
        let url = root.appending(path: folder)
        let names = try #require(FileManager.default.enumerator(atPath: url.path(percentEncoded: false)))
        var found: [String: String] = [:]
        for case let name as String in names where name.hasSuffix(suffix) {
            found[name] = try String(contentsOf: url.appending(path: name), encoding: .utf8)
        }
        return found
    }

    @Test("each table and view of the migrations has one owner")
    func migrations() throws {
        var tables: Set<String> = ["schema_migration"]
        for (_, text) in try Self.files("migrations", ".sql") {
            for match in text.matches(of: /CREATE (?:UNLOGGED )?(?:TABLE|VIEW)(?: IF NOT EXISTS)? ([a-z_]+)/) {
                tables.insert(String(match.1))
            }
        }
        let owned = Self.owned.values.flatMap { $0 }
        #expect(Set(owned) == tables)
        #expect(owned.count == Set(owned).count)
    }

    @Test(
        "the search finds a table in each form of SQL",
        arguments: [
            "SELECT id FROM\n    tenant", "FROM session AS s, tenant AS t", "FROM unnest(ids, keys) AS a (id, key), tenant",
            "FROM session JOIN identity USING (id), tenant", "LOCK TABLE ONLY session, tenant", "DELETE FROM ONLY tenant",
            "WHERE id IN (SELECT id FROM tenant)", "oid = 'tenant'::regclass", "to_regclass('tenant') IS NULL", "INSERT INTO tenant (id)",
        ])
    func search(text: String) {
        #expect(SQLTables.named(in: text, of: ["tenant"]) == ["tenant"])
    }

    @Test(
        "the search finds no column, alias or comment",
        arguments: [
            "SELECT tenant FROM session", "FROM session AS tenant WHERE a IN (b, tenant)", "a IS DISTINCT FROM tenant",
            "FROM tenants", "FROM session ORDER BY id, tenant", "  // FROM tenant", "-- FROM tenant", "INTO session (id, tenant)",
        ])
    func searchOfColumns(text: String) {
        #expect(SQLTables.named(in: text, of: ["tenant"]) == [])
    }

    @Test("no SQL of a target names a table of another target")
    func sources() throws {
        let known = Set(Self.owned.values.flatMap { $0 })
        var found: [String: Set<String>] = [:]
        var seen: Set<String> = []
        for (file, text) in try Self.files("Sources", ".swift") {
            let target = String(file.prefix { $0 != "/" })
            guard !Self.tools.contains(target) else { continue }
            let named = SQLTables.named(in: text, of: known)
            seen.formUnion(named)
            let foreign = named.subtracting(Self.owned[target] ?? [])
            if !foreign.isEmpty { found[file] = foreign }
        }
        // The search finds the owners' statements, so it would also find others.
        #expect(known.subtracting(seen).isSubset(of: ["purged_table", "purged_usage", "usage_event_default"]))
        #expect(found == Self.exceptions)
    }

    @Test("no target has more than 60 files")
    func sizes() throws {
        let files = try Self.files("Sources", ".swift").keys
        let sizes = Dictionary(grouping: files) { $0.prefix { $0 != "/" } }.mapValues(\.count)
        #expect(sizes.count > 20)
        #expect(sizes.filter { $0.value > 60 }.isEmpty)
    }
}
