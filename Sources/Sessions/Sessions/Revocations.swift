import Access
import Encoding
import Foundation
import Postgres
import Sealing
import Tenancy
import Users

/// The sessions and users whose tokens ended, as the schema recorded them, in that order.
enum Revocations {
    /// How long a revocation is stored, in seconds: the longest lifetime of an access token (one day, `access_token_seconds`) plus one
    /// hour.
    static let retention: TimeInterval = 25 * 3600
    /// In seconds, longer than the longest transaction. An entry that is older than this is either visible or never will be.
    static let overlap: TimeInterval = 60
    /// The maximum number of entries in one response.
    static let largest = 1000

    struct Entry: Encodable, Sendable {
        enum Kind: String, Encodable { case session, user }

        let type: Kind
        /// The ended session. Nil for a user, whose tokens of all earlier sessions ended.
        let sid: ID<Session>?
        let sub: ID<User>
        let revoked_at: Date
        let position: (recordedAt: Date, id: UUID)

        init(_ row: Row) throws {
            sid = try row.get("session_id")
            sub = try row.get("user_id")
            revoked_at = try row.get("revoked_at")
            type = sid == nil ? .user : .session
            position = (try row.get("recorded_at"), try row.get("id"))
        }

        private enum CodingKeys: CodingKey { case type, sid, sub, revoked_at }
    }

    /// The position of a reader.
    struct Cursor: Sendable {
        let recordedAt: Date
        let id: UUID
        /// The position for the next list, one minute before the first page of this list was read. It is set while a list is read page by
        /// page. Entries that became visible in the meantime come after it.
        let resume: Date?

        /// The years 1970 to 9999.
        private static let years = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_300_799)

        /// A position that starts at a time.
        init(at time: Date) {
            (recordedAt, id, resume) = (time, .platform, nil)
        }

        init(after entry: Entry, resume: Date) {
            (recordedAt, id, self.resume) = (entry.position.recordedAt, entry.position.id, resume)
        }

        init?(_ text: String) {
            guard let bytes = [UInt8](base64URL: text), bytes.count == 32 else { return nil }
            var fields = FieldReader(bytes)
            guard let time = try? fields.date(), let id = try? fields.uuid(), let resume = try? fields.date(),
                // A value that the database cannot store, or that no response contained, must not reach it.
                Self.years.contains(time), Self.years.contains(resume)
            else { return nil }
            (recordedAt, self.id) = (time, id)
            self.resume = resume.timeIntervalSince1970 == 0 ? nil : resume
        }

        /// Opaque to callers. It authorizes nothing.
        var text: String {
            var fields = FieldWriter()
            fields.write(recordedAt)
            fields.write(id)
            fields.write(resume ?? Date(timeIntervalSince1970: 0))
            return fields.bytes.base64URL
        }
    }

    /// The database's time before any entry is read. Entries are recorded by this clock.
    static var clock: SQL { "SELECT clock_timestamp() AS now" }

    /// The position of a new reader. It covers every entry that can affect a valid access token.
    static func beginning(at now: Date) -> Cursor { Cursor(at: now.addingTimeInterval(-retention)) }

    static func page(after cursor: Cursor, of tenant: ID<Tenant>, for application: Application, limit: Int) -> SQL {
        let own = application.kind == .machine ? nil : application.id
        return """
            SELECT id, recorded_at, session_id, user_id, revoked_at FROM revocation
            -- Only plain values. Under row-level security, no index serves an expression that might leak other rows, such as COALESCE.
            WHERE tenant_id = \(tenant) AND (recorded_at, id) > (\(cursor.recordedAt), \(cursor.id))
                AND (\(own) IS NULL OR application_id = \(own))
            ORDER BY recorded_at, id LIMIT \(limit)
            """
    }

    /// Deletes entries that affect no valid token.
    static func forgetOld(in database: PlatformDatabase, batch: Int = 1000) async throws {
        try await database.remove(batch: batch) { batch in
            """
            DELETE FROM revocation WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM revocation WHERE recorded_at < statement_timestamp() - make_interval(secs => \(retention))
                ORDER BY recorded_at LIMIT \(batch))
            """
        }
    }
}
