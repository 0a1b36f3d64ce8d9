import Access
import Foundation
import Postgres
import TestSupport
import Testing

/// The database creates the chain of hashes. `AuditTrail` calculates it with a separate implementation.
@Suite("Audit trail")
struct AuditTrailTests {
    private let owner: DatabasePool
    private let server: DatabasePool
    private let tenant = UUID()
    private static let session = UUID()

    init() async throws {
        let database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        server = try TestDatabase.pool(database.serverURL)
    }

    private struct Content: Encodable {
        var text = "\"quoted\", 12:34,-, \\ und Umlaute äöü €, 🌳"
        var number = 0.1
        var empty: [String: String] = [:]
    }

    private func append(_ number: Int, to trail: UUID? = nil) async throws {
        let trail = trail ?? tenant
        // Content, address, request ID, session and support access alternate, so that each is sometimes present and sometimes absent.
        let origin = AuditEvent.Origin(
            actor: "apikey_\(number)", address: number % 2 == 0 ? "2001:db8::1" : nil, requestID: number % 3 == 0 ? nil : "req,\(number)",
            session: number % 4 == 0 ? ID(Self.session) : nil, support: number % 8 == 0 ? ID(Self.session) : nil)
        // Uses the role that owns the schema, which can write any actor.
        _ = try await OwnerDatabase(owner, owner: trail).run(
            AuditEvent.insert(
                "act\(number)", of: "subject-\(number):ü", owner: trail, by: origin, before: number % 4 == 0 ? Content() : nil,
                after: number % 4 == 1 ? Content() : nil,
                // Covers every number of decimals of the second, and none.
                at: Date(timeIntervalSince1970: 1_790_000_000 + Double(number) * 3600.000_101)))
    }

    private func verify(_ trail: UUID? = nil, expecting head: AuditTrail.Head? = nil) async throws -> AuditTrail {
        try await AuditTrail.verify(trail ?? tenant, expecting: head, in: PlatformDatabase(server))
    }

    private func id(_ sequence: Int) async throws -> ID<AuditEvent> {
        try await owner.run("SELECT id FROM audit_event WHERE tenant_id = \(tenant) AND sequence = \(sequence)")[0].get("id")
    }

    @Test("an unchanged trail is valid with any content, and the platform has its own trail")
    func whole() async throws {
        for number in 0..<12 { try await append(number) }
        for number in 0..<3 { try await append(number, to: .platform) }
        let trail = try await verify()
        #expect(trail.breaks == [])
        #expect(trail.count == 12)
        #expect(trail.head?.sequence == 12)
        #expect(try await verify(.platform).count == 3)
        #expect(try await verify(.platform).breaks == [])
        #expect(try await verify(UUID()).head == nil)
        let head = try await owner.run("SELECT encode(hash, 'hex') AS hash FROM audit_event WHERE tenant_id = \(tenant) AND sequence = 12")
        #expect(try trail.head?.hash == head[0].get("hash", as: String.self))
    }

    @Test("more than a page is read completely, and a break after the first page is found")
    func pages() async throws {
        _ = try await owner.run(
            """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject)
            SELECT \(tenant), gen_random_uuid(), now() + n * interval '1 ms', 'a', 'b', n::text FROM generate_series(1, 2100) AS n
            """)
        #expect(try await verify().breaks == [])
        #expect(try await verify().count == 2100)
        let id = try await id(2050)
        _ = try await owner.run("UPDATE audit_event SET actor = 'other' WHERE id = \(id)")
        #expect(try await verify().breaks == [.changed(2050, id)])
    }

    @Test("an edit of any field is detected")
    func edited() async throws {
        for change in [
            "occurred_at = occurred_at + interval '1 microsecond'", "actor = 'other'", "action = 'other'", "subject = 'other'",
            "address = NULL", "address = '127.0.0.1'", "request_id = 'x'", "session_id = NULL", "session_id = 'x'",
            "support_access_id = 'x'", "support_access_id = session_id, session_id = NULL", "before = '{}'", "before = 'null'",
            "before = NULL, after = before",
            "id = gen_random_uuid()", "hash = sha256('x')", "previous_hash = NULL", "previous_hash = sha256('x')",
        ] {
            let trail = UUID()
            for number in 1...6 { try await append(number, to: trail) }
            let edited = SQL(unsafe: "UPDATE audit_event SET \(change) WHERE tenant_id = '\(trail.uuidString)' AND sequence = 4")
            #expect(try await owner.run(edited).affected == 1)
            let breaks = try await verify(trail).breaks
            #expect(breaks.contains { if case .changed(4, _) = $0 { true } else { false } }, "\(change): \(breaks)")
            #expect(breaks.allSatisfy { "\($0)".hasPrefix("event 4 (") || "\($0)".hasPrefix("event 5 (") }, "\(change): \(breaks)")
        }
    }

    @Test("an event without a session has the same hash as in the previous version, and one with a session has another")
    func sessions() async throws {
        for number in 0..<9 { try await append(number) }
        let rows = try await owner.run([
            // The function of migration 0004.
            """
            CREATE FUNCTION pg_temp.earlier_hash(event audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
                SELECT sha256(COALESCE(event.previous_hash, '') || convert_to(string_agg(
                    COALESCE(octet_length(field)::text || ':' || field, '-'), ',' ORDER BY position), 'UTF8'))
                FROM unnest(ARRAY[
                    event.tenant_id::text, event.sequence::text, event.id::text,
                    to_char(event.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
                    event.actor, event.action, event.subject, event.address, event.request_id, event.before::text, event.after::text
                ]) WITH ORDINALITY AS fields (field, position)
            $$
            """,
            """
            SELECT sequence, hash = pg_temp.earlier_hash(audit_event) AS is_earlier FROM audit_event WHERE tenant_id = \(tenant)
            ORDER BY sequence
            """,
        ])[1]
        let withSession = try rows.filter { try !$0.get("is_earlier", as: Bool.self) }.map { try $0.get("sequence", as: Int.self) }
        #expect(withSession == [1, 5, 9])
        #expect(try await verify().breaks == [])
    }

    @Test("an edited event with a new hash does not match the next event")
    func rehashed() async throws {
        for number in 1...6 { try await append(number) }
        let (id, next) = (try await id(4), try await id(5))
        _ = try await owner.run("UPDATE audit_event SET actor = 'other' WHERE id = \(id)")
        _ = try await owner.run("UPDATE audit_event SET hash = audit_event_hash(audit_event) WHERE id = \(id)")
        #expect(try await verify().breaks == [.unlinked(5, next)])
    }

    @Test("removed events are reported as missing, at the start and in the middle")
    func removed() async throws {
        for number in 1...6 { try await append(number) }
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(tenant) AND sequence = 4")
        #expect(try await verify().breaks == [.missing(4...4)])
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(tenant) AND sequence IN (1, 2)")
        #expect(try await verify().breaks == [.missing(1...2), .missing(4...4)])
    }

    @Test("a gap that is closed by renumbering is detected")
    func renumbered() async throws {
        for number in 1...6 { try await append(number) }
        let id = try await id(5)
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(tenant) AND sequence = 4")
        for number in [5, 6] {
            _ = try await owner.run("UPDATE audit_event SET sequence = \(number) - 1 WHERE tenant_id = \(tenant) AND sequence = \(number)")
            _ = try await owner.run(
                "UPDATE audit_event SET hash = audit_event_hash(audit_event) WHERE tenant_id = \(tenant) AND sequence = \(number) - 1")
        }
        #expect(try await verify().breaks.contains(.unlinked(4, id)))
    }

    @Test("an inserted event is detected, with a used number or with all later numbers increased")
    func inserted() async throws {
        for number in 1...4 { try await append(number) }
        let (inserted, next) = (ID<AuditEvent>(UUID()), try await id(3))
        _ = try await owner.run([
            "ALTER TABLE audit_event DISABLE TRIGGER audit_event_chained", "DROP INDEX audit_event_sequence",
            """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, sequence, previous_hash, hash)
            SELECT tenant_id, \(inserted), occurred_at, 'a', 'b', 'c', 3, hash, '' FROM audit_event
            WHERE tenant_id = \(tenant) AND sequence = 2
            """,
            "UPDATE audit_event SET hash = audit_event_hash(audit_event) WHERE id = \(inserted)",
        ])
        // The original of two events with one number is unknown. The trail is broken at this number.
        #expect(try await verify().breaks.contains { if case .misnumbered(3, _) = $0 { true } else { false } })
        _ = try await owner.run(
            "UPDATE audit_event SET sequence = sequence + 1 WHERE tenant_id = \(tenant) AND sequence >= 3 AND id <> \(inserted)")
        #expect(try await verify().breaks.contains(.changed(4, next)))
        _ = try await owner.run("UPDATE audit_event SET hash = audit_event_hash(audit_event) WHERE tenant_id = \(tenant)")
        #expect(try await verify().breaks.contains(.unlinked(4, next)))
    }

    @Test("two swapped events are detected")
    func reordered() async throws {
        for number in 1...5 { try await append(number) }
        for (from, to) in [(2, -1), (3, 2), (-1, 3)] {
            _ = try await owner.run("UPDATE audit_event SET sequence = \(to) WHERE tenant_id = \(tenant) AND sequence = \(from)")
        }
        let (second, third) = (try await id(2), try await id(3))
        let breaks = Set(try await verify().breaks)
        #expect(breaks.isSuperset(of: [.changed(2, second), .changed(3, third), .unlinked(2, second)]))
    }

    @Test("a saved head reveals a removed end and a recalculated chain")
    func expected() async throws {
        for number in 1...3 { try await append(number) }
        let saved = try #require(try await verify().head)
        #expect(AuditTrail.Head("\(saved)") == saved)
        for number in 4...5 { try await append(number) }
        #expect(try await verify(expecting: saved).breaks == [])
        let later = try #require(try await verify().head)
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(tenant) AND sequence >= 4")
        // Without a saved head, the trail is valid.
        #expect(try await verify().breaks == [])
        #expect(try await verify(expecting: saved).breaks == [])
        #expect(try await verify(expecting: later).breaks == [.cutOff(later, at: 3)])
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(tenant)")
        #expect(try await verify(expecting: saved).breaks == [.cutOff(saved, at: 0)])
        for number in 6...9 { try await append(number) }
        #expect(try await verify().breaks == [])
        #expect(try await verify(expecting: saved).breaks == [.replaced(saved)])
    }

    @Test("a head has exactly one text form")
    func head() {
        for text in ["", "1", "1:", ":ab", "0:\(Self.digits)", "-1:\(Self.digits)", "1:\(Self.digits)0", "1 :\(Self.digits)"] {
            #expect(AuditTrail.Head(text) == nil)
        }
        #expect(AuditTrail.Head("7:\(Self.digits.uppercased())")?.description == "7:\(Self.digits)")
    }

    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test("many concurrent transactions leave a valid trail with all their events")
    func concurrent() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await OwnerDatabase(server, owner: tenant).transaction { db in
                        for part in 0..<3 {
                            _ = try await db.run(
                                AuditEvent.insert("act", of: "\(number).\(part)", owner: tenant, by: .system, at: Date()))
                        }
                        // Every fifth transaction rolls back. Its number must not be missing.
                        if number % 5 == 0 { throw Undone() }
                    }
                }
                group.addTask { try await append(number, to: .platform) }
            }
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is Undone) { throw error }
            }
        }
        let trail = try await verify()
        #expect(trail.breaks == [])
        #expect(trail.count == 32 * 3)
        #expect(try await verify(.platform).breaks == [])
        #expect(try await verify(.platform).count == 40)
    }

    private struct Undone: Error {}

    @Test("the server's role can only append to the trail")
    func appendOnly() async throws {
        try await append(1)
        for statement in [
            "UPDATE audit_event SET actor = 'x'", "DELETE FROM audit_event", "TRUNCATE audit_event",
            "ALTER TABLE audit_event DISABLE TRIGGER ALL", "DROP TRIGGER audit_event_chained ON audit_event",
            "CREATE OR REPLACE FUNCTION audit_event_hash(event audit_event) RETURNS bytea LANGUAGE sql AS 'SELECT NULL::bytea'",
            "SET session_replication_role = replica",
        ] {
            await #expect("\(statement) should be refused") {
                _ = try await PlatformDatabase(server).run(SQL(unsafe: statement))
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
        #expect(try await verify().breaks == [])
        #expect(try await verify().count == 1)
    }

    @Test("a number and hashes chosen by the server are ignored, and so is a table that it puts in front")
    func forged() async throws {
        try await append(1)
        _ = try await OwnerDatabase(server, owner: tenant).run([
            "CREATE TEMP TABLE audit_event (LIKE public.audit_event) ON COMMIT DROP",
            """
            INSERT INTO pg_temp.audit_event (tenant_id, id, occurred_at, actor, action, subject, sequence, hash)
            VALUES (\(tenant), \(UUID()), now(), 'a', 'b', 'c', 41, sha256('x'))
            """,
            """
            INSERT INTO public.audit_event (tenant_id, id, occurred_at, actor, action, subject)
            VALUES (\(tenant), \(UUID()), now(), 'system', 'b', 'c')
            """,
        ])
        await #expect {
            _ = try await OwnerDatabase(server, owner: tenant).run(
                """
                INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, sequence, previous_hash, hash)
                VALUES (\(tenant), \(UUID()), now(), 'system', 'b', 'c', 7, sha256('x'), sha256('y'))
                """)
        } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        #expect(try await verify().breaks == [])
        #expect(try await verify().head?.sequence == 2)
    }
}
