import Access
@testable import AuthKit
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("AuthKit list events")
struct AuthKitListEventsTests {
    private static let types = [
        "user.created", "authentication.oauth_succeeded", "session.created", "user.updated", "session.revoked", "user.deleted",
    ]

    /// A platform whose events are in the list at once.
    private static func run(on database: TestDatabase? = nil, _ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws
    {
        try await TestPlatform.run(on: database, { $0.usageSettlesAfter = 0 }, body)
    }

    private func events(_ answer: TestBrowser.Answer) -> [String] { answer.elements.compactMap { $0["event"] as? String } }

    @Test("sign-ins, changes and ends of users and sessions are events with their objects, oldest first")
    func kinds() async throws {
        try await Self.run { platform in
            let client = AuthKitClient(platform)
            let (kept, gone) = (try await client.login(person: "Ada Lovelace"), try await client.login(person: "Grace Hopper"))
            _ = try await client.call("PUT", "/user_management/users/\(kept.userID)", ["external_id": "4711"])
            let sid = try #require(try claims(of: kept.accessToken)["sid"] as? String)
            _ = try await client.logout([("session_id", sid)])
            #expect(try await client.call("DELETE", "/user_management/users/\(gone.userID)").status == 204)

            let answer = try await client.call("/events?limit=100")
            #expect(answer.status == 200, "\(answer.body)")
            let all = answer.elements
            #expect(Set(events(answer)) == Set(Self.types))
            #expect(events(answer).filter { $0 == "authentication.oauth_succeeded" }.count == 2)
            #expect(all.compactMap { $0["id"] as? String } == all.compactMap { $0["id"] as? String }.sorted())
            #expect(all.compactMap { $0["created_at"] as? String } == all.compactMap { $0["created_at"] as? String }.sorted())
            func data(_ event: String, _ user: String, _ member: String = "id") -> [String: any Sendable]? {
                all.filter { $0["event"] as? String == event }.compactMap { $0["data"] as? [String: any Sendable] }
                    .first { $0[member] as? String == user }
            }
            // The user of an event is the one of today.
            let user = try #require(data("user.created", kept.userID))
            #expect(user["external_id"] as? String == "4711" && user["first_name"] as? String == "Ada")
            #expect(data("user.updated", kept.userID)?["object"] as? String == "user")
            let signIn = try #require(data("authentication.oauth_succeeded", kept.userID, "user_id"))
            #expect(signIn["email"] as? String == user["email"] as? String && signIn["status"] as? String == "succeeded")
            let session = try #require(data("session.created", kept.userID, "user_id"))
            #expect(session["status"] as? String == "active" && session["ended_at"] is NSNull)
            let ended = try #require(data("session.revoked", kept.userID, "user_id"))
            #expect(ended["status"] as? String == "revoked" && ended["ended_at"] is String)
            #expect(ended["id"] as? String == session["id"] as? String && sid.hasPrefix(session["id"] as? String ?? "-"))
            // Nothing about the person remains.
            let deleted = try #require(data("user.deleted", gone.userID))
            #expect(deleted["email"] is NSNull && deleted["first_name"] is NSNull)
            #expect(data("user.created", gone.userID) == nil)
            #expect(data("authentication.oauth_succeeded", gone.userID, "user_id")?["email"] is NSNull)
            #expect(data("session.created", gone.userID, "user_id")?["user_agent"] is NSNull)
        }
    }

    @Test("pages continue after an event, in both directions, and a filter selects types and times")
    func pages() async throws {
        try await Self.run { platform in
            let client = AuthKitClient(platform)
            for _ in 0..<3 { _ = try await client.login() }
            // The times in a response are whole seconds. A login starts a minute after the one before.
            _ = try await platform.ownerPool.run(
                """
                UPDATE usage_arrival a SET occurred_at = a.occurred_at - n.minutes * interval '1 minute'
                FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS minutes FROM usage_arrival) AS n WHERE a.id = n.id
                """)
            let all = try await client.call("/events?limit=100")
            #expect(all.ids.count == 9 && Set(all.ids).count == 9, "\(all.body)")
            #expect(all.cursor("after") == nil && all.cursor("before") == nil)

            var (seen, cursor) = ([String](), "")
            repeat {
                let page = try await client.call("/events?limit=2" + (cursor.isEmpty ? "" : "&after=\(cursor)"))
                seen += page.ids
                cursor = page.cursor("after") ?? ""
            } while !cursor.isEmpty
            #expect(seen == all.ids)
            let before = try await client.call("/events?limit=2&before=\(all.ids[4])")
            #expect(before.ids == Array(all.ids[2...3]))
            #expect(before.cursor("before") == all.ids[2] && before.cursor("after") == all.ids[3])
            let newest = try await client.call("/events?limit=2&order=desc")
            #expect(newest.ids == [all.ids[8], all.ids[7]])
            #expect(try await client.call("/events?limit=2&order=desc&after=\(all.ids[7])").ids == [all.ids[6], all.ids[5]])

            let created = try await client.call("/events?limit=100&events=user.created,dsync.user.created")
            #expect(events(created) == Array(repeating: "user.created", count: 3))
            #expect(try await client.call("/events?events%5B%5D=session.created").ids.count == 3)
            #expect(try await client.call("/events?events=user.created&events=session.created&limit=100").ids.count == 6)
            #expect(try await client.call("/events?events%5B%5D=user.created&limit=100&events%5B%5D=session.created").ids.count == 6)
            #expect(try await client.call("/events?events=dsync.user.created").ids == [])
            #expect(try await client.call("/events?organization_id=\(client.organization)&limit=100").ids == all.ids)
            #expect(try await client.call("/events?organization_id=\(platform.globex.id)").ids == [])
            // The logins move to another hour.
            _ = try await platform.ownerPool.run("UPDATE usage_arrival SET occurred_at = occurred_at - interval '1 hour'")
            let between = Date().addingTimeInterval(-1800).formatted(.iso8601)
            #expect(events(try await client.call("/events?range_start=\(between)")) == Array(repeating: "user.created", count: 3))
            let earlier = try await client.call("/events?range_end=\(between)")
            #expect(events(earlier).filter { $0 == "session.created" }.count == 3 && earlier.ids.count == 6)
            let hour = Date().addingTimeInterval(-3000).formatted(.iso8601)
            #expect(try await client.call("/events?range_start=\(hour)&range_end=\(between)").ids == [])
            #expect(try await client.call("/events?range_start=\(between)&range_end=\(hour)").ids == [])
        }
    }

    @Test("an event of the last seconds waits, and a login is an event for 30 days, also in the ledger")
    func lifetime() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            _ = try await client.login()
            let path = "/events?events=session.created"
            #expect(try await client.call(path).ids == [])
            func age(_ time: String) async throws {
                _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE usage_arrival SET occurred_at = now() - interval '\(time)'"))
            }
            try await age("60 seconds")
            #expect(try await client.call(path).ids == [])
            try await age("121 seconds")
            let found = try await client.call(path).ids
            #expect(found.count == 1)
            // The aggregation moves it.
            let rows = try await platform.ownerPool.run("DELETE FROM usage_arrival RETURNING id")
            #expect(rows.count == 1)
            #expect(try await client.call(path).ids == found)
            _ = try await client.login()
            try await age("29 days 23 hours")
            #expect(try await client.call(path).ids.count == 2)
            try await age("30 days 1 minute")
            #expect(try await client.call(path).ids == found)
        }
    }

    /// Under row-level security, PostgreSQL uses an index only for leakproof functions. Without the indexes, a page would read all logins of
    /// a tenant.
    @Test("indexes find the events of a page, with the statement of the server's role")
    func indexes() async throws {
        try await Self.run(on: .make()) { platform in
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let now = Date()
            let page = FeedPage(
                after: nil, before: nil, from: now.addingTimeInterval(-3600), until: now, isDescending: false, limit: 11)
            for (kind, table, columns) in [
                (WorkOSEvent.Kind.userCreated, "tenant_user", ["id >="]), (.signedIn, "usage_event", ["occurred_at >="]),
                // A pass empties it each minute.
                (.signedIn, "usage_arrival", ["tenant_id ="]), (.sessionRevoked, "session", ["ended_at >="]),
                (.userUpdated, "audit_event", ["action =", "occurred_at >="]),
                (.userDeleted, "audit_event", ["action =", "occurred_at >="]),
            ] {
                let select = EventRow.select([kind], page, of: tenant, from: now.addingTimeInterval(-3600), at: now)
                let plan = try await OwnerDatabase(platform.pool, tenant: tenant).transaction { db in
                    // The tables of a test are small.
                    _ = try await db.run("SET LOCAL enable_seqscan = off")
                    return try await db.run("EXPLAIN \(part: select)").map { try $0.get("QUERY PLAN", as: String.self) }
                }
                // Each scan of the table is followed by its condition. A month has a table of its own.
                let scans = plan.indices.filter { plan[$0].contains(" on \(table)") }
                #expect(!scans.isEmpty, "\(kind): \(plan.joined(separator: "\n"))")
                for scan in scans {
                    let condition = plan[scan...].first { $0.contains("Index Cond:") || $0.contains("Seq Scan") } ?? ""
                    #expect(
                        condition.contains("Index Cond:") && columns.allSatisfy { condition.contains($0) },
                        "\(kind), \(table): \(plan.joined(separator: "\n"))")
                }
            }
        }
    }

    @Test("a tenant sees its own events, and invalid parameters get 422")
    func refused() async throws {
        try await Self.run { platform in
            let client = AuthKitClient(platform)
            _ = try await client.login()
            let globex = try await client.call("/events", key: platform.globex.api_keys[0].secret)
            #expect(globex.status == 200 && globex.ids == [])
            for query in [
                "limit=0", "limit=101", "after=event_1", "after=user_01jd8x3v6qf9wr2m5tzk7h4c0n", "order=normal", "range_start=yesterday",
                "after=event_01jd8x3v6qf9wr2m5tzk7h4c0n&before=event_01jd8x3v6qf9wr2m5tzk7h4c0n", "events=", "events", "events=%FF",
                "type=user.created", "limit=1&limit=2",
            ] { #expect(try await client.call("/events?\(query)").isError(422, "invalid_request_parameters"), "\(query)") }
            for lacking in ["users:read", "sessions:read"] {
                let other = lacking == "users:read" ? "sessions:read" : "users:read"
                let key = try #require(try await platform.issue(scopes: [other]).string("secret"))
                #expect(try await client.call("/events", key: key).isError(403, "insufficient_scope"))
            }
        }
    }
}
