import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("List audit events")
struct ListAuditEventsTests {
    private static func events(
        _ platform: TestPlatform, _ query: String, of tenant: String = "acme", key: String? = nil
    ) async throws -> [[String: any Sendable]] {
        let answer = try await platform.call("GET", "/tenants/\(tenant)/audit-events\(query)", key: key)
        #expect(answer.status == 200, "\(query): \(answer.body)")
        return answer.json["data"] as? [[String: any Sendable]] ?? []
    }

    private static func append(
        _ platform: TestPlatform, _ action: String, subject: String = "x", actor: String = "system", tenant: String? = nil, at time: String
    ) async throws {
        let now = try Date(time, strategy: .iso8601)
        let owner = try #require(ID<Tenant>(tenant ?? platform.acme.id)).uuid
        // Uses the role that owns the schema, which can write any actor.
        _ = try await OwnerDatabase(platform.ownerPool, owner: owner).run(
            AuditEvent.insert(
                action, of: subject, owner: owner, by: .init(actor: actor, address: nil, requestID: nil), at: now))
    }

    @Test("an event shows actor, action, subject, origin, before and after, and follows the previous event")
    func whole() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call(
                "PATCH", "/tenants/acme", key: platform.acme.api_keys[0].secret, ["name": "New"], headers: [("Request-Id", "mine-1")])
            #expect(answer.status == 200)
            _ = try await platform.call("POST", "/tenants/acme/suspend")
            let events = try await Self.events(platform, "", key: platform.acme.api_keys[0].secret)
            #expect(events.count == 2)
            let (second, first) = (try #require(events.first), try #require(events.last))
            #expect(
                Set(first.keys) == [
                    "id", "object", "occurred_at", "actor", "action", "subject", "address", "request_id", "before", "after", "sequence",
                    "hash", "created_at", "updated_at",
                ])
            #expect(first["object"] as? String == "audit_event")
            #expect((first["id"] as? String)?.hasPrefix("audit_") == true)
            #expect(first["action"] as? String == "updateTenant")
            #expect(first["actor"] as? String == platform.acme.api_keys[0].id)
            #expect(first["subject"] as? String == platform.acme.id)
            #expect(first["request_id"] as? String == "mine-1")
            #expect(first["sequence"] as? Int == 1)
            #expect(first["created_at"] as? String == first["occurred_at"] as? String)
            #expect(try #require(first["after"] as? [String: any Sendable]) as NSDictionary == answer.json as NSDictionary)
            #expect(second["actor"] as? String == platform.seeded.api_keys[0].id)
            #expect(second["sequence"] as? Int == 2)
            #expect(second["previous_hash"] as? String == first["hash"] as? String)
        }
    }

    @Test("the list filters by actor, action, subject and time")
    func filters() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform, "one", subject: "a", actor: "p", at: "2026-03-01T00:00:00Z")
            try await Self.append(platform, "two", subject: "b", actor: "p", at: "2026-03-02T00:00:00Z")
            try await Self.append(platform, "two", subject: "a", actor: "q", at: "2026-03-03T00:00:00Z")
            for (query, numbers) in [
                ("", [3, 2, 1]), ("?actor=p", [2, 1]), ("?action=two", [3, 2]), ("?subject=a", [3, 1]), ("?actor=p&subject=a", [1]),
                ("?actor=nobody", []), ("?from=2026-03-02T00:00:00Z", [3, 2]), ("?to=2026-03-02T00:00:00Z", [1]),
                ("?from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z&action=two", [2]),
            ] {
                #expect(try await Self.events(platform, query).compactMap { $0["sequence"] as? Int } == numbers, "\(query)")
            }
        }
    }

    @Test("the pages contain each event once, even with a filter")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for number in 1...7 { try await Self.append(platform, number == 4 ? "other" : "same", at: "2026-03-0\(number)T00:00:00Z") }
            var (seen, query): ([Int], String?) = ([], "?action=same&limit=2")
            while let current = query {
                let answer = try await platform.call("GET", "/tenants/acme/audit-events\(current)")
                seen += (answer.json["data"] as? [[String: any Sendable]] ?? []).compactMap { $0["sequence"] as? Int }
                let metadata = try #require(answer.json["list_metadata"] as? [String: any Sendable])
                query = (metadata["after"] as? String).map { "?action=same&limit=2&after=\($0)" }
            }
            #expect(seen == [7, 6, 5, 3, 2, 1])
        }
    }

    @Test("an invalid filter is refused with its name")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (query, field) in [
                ("?actor=", "actor"), ("?actor=a%20b", "actor"), ("?action=%C3%A9", "action"), ("?from=yesterday", "from"),
                ("?who=x", "who"),
                ("?from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z", "to"), ("?subject=\(String(repeating: "x", count: 101))", "subject"),
            ] {
                let answer = try await platform.call("GET", "/tenants/acme/audit-events\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect((answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } == [field], "\(query)")
            }
        }
    }

    @Test("no caller reads another tenant's trail or one without the scope, and only operators read the platform's")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform, "one", at: "2026-03-01T00:00:00Z")
            #expect(try await Self.events(platform, "", of: "globex", key: platform.globex.api_keys[0].secret).isEmpty)
            func reported(_ path: String, _ key: String) async throws -> [String] {
                let answer = try await platform.call("GET", path, key: key)
                return ["\(answer.status)", answer.json["code"] as? String ?? ""]
            }
            let acme = platform.acme.api_keys
            #expect(try await reported("/tenants/acme/audit-events", platform.globex.api_keys[0].secret) == ["404", "not_found"])
            #expect(try await reported("/tenants/acme/audit-events", acme[1].secret) == ["403", "insufficient_scope"])
            #expect(try await reported("/platform/audit-events", acme[0].secret) == ["403", "operator_required"])
            // An action on a tenant is in the tenant's own trail, not in the platform's.
            let events = try await platform.call("GET", "/platform/audit-events").json["data"] as? [[String: any Sendable]]
            #expect(events?.isEmpty == true)
        }
    }
}
