import Foundation
import Testing

/// Each function and view of the database belongs to one target, as each table does (TableOwnershipTests).
///
/// Migrations never change, so the last definition in them counts. The table of a trigger counts as a table of its function. A
/// trigger function that names no table, such as `truncate_refused`, is for the tables of all targets.
@Suite("Migration ownership")
struct MigrationOwnershipTests {
    /// The functions and views of each target that name tables.
    private static let owned: [String: Set<String>] = [
        "Access": ["audit_actor_exists", "audit_event_chained", "bind_api_keys"],
        "Delivery": ["emit_webhook_event"],
        // `purge_tenant` also deletes the rows of the tables that `purged_table` lists.
        "Tenancy": ["bind_application_secrets", "purge_tenant", "shared_connection"],
        "Ledger": [
            "archive_usage_partition", "create_usage_partition", "missing_usage_partitions", "record_usage_events",
            "restored_usage_partition", "usage_count", "usage_exists", "usage_partitions", "usage_waits",
        ],
        "Billing": [
            "close_statement", "statement_claim_checked", "statement_complete_checked", "statement_frozen", "statement_sums_checked",
            "take_statement",
            "tenant_plan_changed",
        ],
        "Sinks": ["feed_usage_sink", "forget_usage_sink_customer", "forget_usage_sink_users"],
        "Domains": ["host_lost"],
        "People": [
            "end_provider_sessions", "membership_ended", "membership_named", "person_deleted", "person_exists", "person_renamed",
            "person_session_exists", "role_changed", "support_access_exists",
        ],
        "PeopleSSO": ["sso_domain_lost", "sso_issuer_lost"],
        "Users": ["known_users", "transfer_users_added", "transfer_users_changed", "transfer_users_removed"],
        "Sessions": ["session_ended", "session_life", "user_tokens_ended"],
        "Accounts": ["identity_gone"],
        "Registration": ["initial_access_token_exists"],
        "Server": ["add_digest_keys", "believed_time", "month_has_ended", "note_master_keys"],
    ]

    /// The functions and views that name tables of other targets, each with these tables. The list may only shrink. Remove an entry
    /// when a later migration replaces its function. Add none.
    private static let crossing: [String: Set<String>] = [
        "archive_usage_partition": ["statement"],
        "audit_actor_exists": ["application"],
        "close_statement": ["tenant", "usage_day", "usage_event"],
        "emit_webhook_event": ["outbox"],
        "feed_usage_sink": ["outbox", "usage_arrival"],
        "forget_usage_sink_customer": ["tenant"],
        "forget_usage_sink_users": ["tenant"],
        "identity_gone": ["identity"],
        "purge_tenant": ["statement", "usage_arrival", "usage_event"],
        "session_ended": ["application", "outbox"],
        "session_life": ["application", "tenant"],
        "statement_claim_checked": ["simulated_clock", "usage_event"],
        "take_statement": ["tenant", "usage_event"],
        "tenant_plan_changed": ["tenant"],
        "user_tokens_ended": ["tenant_user"],
    ]

    /// The migrations in their order, without comments.
    private static func migrations() throws -> [String] {
        try TableOwnershipTests.files("migrations", ".sql").sorted { $0.key < $1.key }.map { SQLTables.withoutComments($0.value) }
    }

    /// The last body of each function and view.
    private static func definitions() throws -> [String: String] {
        var bodies: [String: String] = [:]
        for text in try Self.migrations() {
            let statement = /CREATE (?:OR REPLACE )?(FUNCTION|VIEW) ([a-z0-9_]+)|DROP (?:FUNCTION|VIEW) (?:IF EXISTS )?([a-z0-9_]+)/
            for match in text.matches(of: statement) {
                if let dropped = match.3 { bodies[String(dropped)] = nil }
                guard let kind = match.1, let name = match.2 else { continue }
                let rest = text[match.range.upperBound...]
                if kind == "VIEW" {
                    bodies[String(name)] = String(rest.prefix { $0 != ";" })
                } else {
                    // The body is between two equal tags, for example `$$`. It also contains the statements that it runs with EXECUTE.
                    guard let tag = rest.firstMatch(of: /\$[a-z_]*\$/), !rest[..<tag.range.lowerBound].contains(";"),
                        let end = rest[tag.range.upperBound...].range(of: String(rest[tag.range]))
                    else {
                        Issue.record("The search finds no body of \(name).")
                        continue
                    }
                    bodies[String(name)] = String(rest[tag.range.upperBound..<end.lowerBound])
                }
            }
        }
        return bodies
    }

    /// The tables whose triggers run a function, per function. The key of a trigger is its table and its name.
    private static func triggers() throws -> [String: Set<String>] {
        var functions: [[String]: String] = [:]
        for text in try Self.migrations() {
            let created = /CREATE TRIGGER ([a-z0-9_]+)\s[^;]*?\sON ([a-z0-9_]+)\s[^;]*?EXECUTE FUNCTION ([a-z0-9_]+)/
            let dropped = /DROP TRIGGER (?:IF EXISTS )?([a-z0-9_]+) ON ([a-z0-9_]+)/
            // A migration drops a trigger before it creates another one of the same name.
            for match in text.matches(of: dropped) { functions[[String(match.2), String(match.1)]] = nil }
            for match in text.matches(of: created) { functions[[String(match.2), String(match.1)]] = String(match.3) }
        }
        var tables: [String: Set<String>] = [:]
        for (trigger, function) in functions { tables[function, default: []].insert(trigger[0]) }
        return tables
    }

    /// The tables of each function and view that names any.
    private static func tables() throws -> [String: Set<String>] {
        let known = Set(TableOwnershipTests.owned.values.flatMap { $0 })
        let triggers = try Self.triggers()
        var tables: [String: Set<String>] = [:]
        for (name, body) in try Self.definitions() {
            let named = SQLTables.named(in: body, of: known)
            if !named.isEmpty { tables[name] = named.union(triggers[name] ?? []) }
        }
        return tables
    }

    @Test("each function and view that names tables has one owner")
    func owners() throws {
        let owned = Self.owned.values.flatMap { $0 }
        let tables = try Self.tables()
        #expect(Set(owned) == Set(tables.keys))
        #expect(owned.count == Set(owned).count)
    }

    @Test("no function or view names a table of another target, except for the listed ones")
    func crossings() throws {
        var found: [String: Set<String>] = [:]
        for (name, tables) in try Self.tables() {
            let owner = Self.owned.first { $0.value.contains(name) }?.key ?? ""
            let foreign = tables.subtracting(TableOwnershipTests.owned[owner] ?? [])
            if !foreign.isEmpty { found[name] = foreign }
        }
        #expect(found == Self.crossing)
    }
}
