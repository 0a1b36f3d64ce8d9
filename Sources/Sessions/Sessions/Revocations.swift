import Access
import Encoding
import Foundation
import Postgres
import Sealing
import Tenancy
import Users

/// What the schema has written down of sessions and users whose tokens ended, in the order it was recorded.
enum Revocations {
    /// What is recorded later is kept as long as an access token may live (a day at the most, `access_token_seconds`), and an hour more.
    static let kept: TimeInterval = 25 * 3600
    /// Longer than the longest transaction: what was recorded before that is either visible or never will be.
    static let overlap: TimeInterval = 60
    /// The most that one answer lists.
    static let largest = 1000

    struct Entry: Encodable, Sendable {
        enum Kind: String, Encodable { case session, user }

        let type: Kind
        /// One session's tokens; of a user, those of every session that began before.
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

    /// Where a reader stands.
    struct Cursor: Sendable {
        let recordedAt: Date
        let id: UUID
        /// While a list is read page by page: where to go on at its end, a minute before its first page was read. What became visible
        /// in between is passed then.
        let resume: Date?

        /// From 1970 to 9999.
        private static let years = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_300_799)

        /// Begins at a time.
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
                // What the database cannot hold, or nobody can have been given, must not reach it.
                Self.years.contains(time), Self.years.contains(resume)
            else { return nil }
            (recordedAt, self.id) = (time, id)
            self.resume = resume.timeIntervalSince1970 == 0 ? nil : resume
        }

        /// Opaque to callers; authorises nothing.
        var text: String {
            var fields = FieldWriter()
            fields.write(recordedAt)
            fields.write(id)
            fields.write(resume ?? Date(timeIntervalSince1970: 0))
            return fields.bytes.base64URL
        }
    }

    /// The database's time, by which all of this is recorded, as it was before anything was read.
    static var clock: SQL { "SELECT clock_timestamp() AS now" }

    /// Where a reader begins that has heard of nothing yet: at all that a living access token could concern.
    static func beginning(at now: Date) -> Cursor { Cursor(at: now.addingTimeInterval(-kept)) }

    static func page(after cursor: Cursor, of tenant: ID<Tenant>, for application: Application, limit: Int) -> SQL {
        let own = application.kind == .machine ? nil : application.id
        return """
            SELECT id, recorded_at, session_id, user_id, revoked_at FROM revocation
            -- Values alone: under row-level security an index serves no expression that might tell of other rows, COALESCE among them.
            WHERE tenant_id = \(tenant) AND (recorded_at, id) > (\(cursor.recordedAt), \(cursor.id))
                AND (\(own) IS NULL OR application_id = \(own))
            ORDER BY recorded_at, id LIMIT \(limit)
            """
    }

    /// Removes what no living token can be concerned by.
    static func forgetOld(in database: PlatformDatabase, batch: Int = 1000) async throws {
        try await database.remove(batch: batch) { batch in
            """
            DELETE FROM revocation WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM revocation WHERE recorded_at < statement_timestamp() - make_interval(secs => \(kept))
                ORDER BY recorded_at LIMIT \(batch))
            """
        }
    }
}
