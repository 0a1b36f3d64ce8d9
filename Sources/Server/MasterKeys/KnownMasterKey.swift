package import Access
package import Foundation
package import Postgres
package import Sealing

/// A master key in the database: its ID, and the times at which it sealed.
package struct KnownMasterKey: Sendable {
    /// The interval at which a running process notes its newest key, in seconds.
    package static let noteInterval = 60
    /// The time in seconds after which a key without a note seals nothing: three notes.
    package static let silence: TimeInterval = 180
    /// The time in seconds that a key must stay after its last seal.
    ///
    /// The longest-lived sealed token, a login attempt, lives 900 s. The rest is for the last note and for clock differences of
    /// servers.
    package static let tokenTime: TimeInterval = 1800

    package let id: KeyID
    package let sealingAt: Date?
    package let clearedAt: Date?

    package init(_ row: Row) throws {
        guard let id = KeyID(try row.get("id")) else { throw SealingError.malformed }
        self.id = id
        (sealingAt, clearedAt) = (try row.get("sealing_at"), try row.get("cleared_at"))
    }

    /// The state of a key that is not the newest.
    package enum State: Equatable, Sendable {
        /// It has sealed nothing yet.
        case unused
        /// Stored values are sealed under it, as far as is known.
        case needed
        /// Only tokens are sealed under it. They expire at this time.
        case expiring(Date)
        case droppable
    }

    package func state(at now: Date) -> State {
        guard let sealingAt else { return .unused }
        guard !isNeeded else { return .needed }
        let end = sealingAt.addingTimeInterval(Self.tokenTime)
        return now < end ? .expiring(end) : .droppable
    }

    /// Whether stored values may be sealed under it.
    package var isNeeded: Bool {
        guard let sealingAt else { return false }
        return clearedAt.map { $0 <= sealingAt } ?? true
    }

    /// The time from which no process has it as the newest key.
    package var silentAt: Date? { sealingAt?.addingTimeInterval(Self.silence) }

    // MARK: SQL

    /// Returns all noted keys, and the time of the database. All notes have the database's time, so clock differences of servers do not
    /// matter.
    package static func all(in database: PlatformDatabase) async throws -> (keys: [KnownMasterKey], now: Date) {
        let (keys, time) = try await database.run(
            "SELECT id, sealing_at, cleared_at FROM master_key WHERE tenant_id = \(UUID.platform) ORDER BY id",
            "SELECT clock_timestamp() AS now")
        return (try keys.map { try KnownMasterKey($0) }, try time[0].get("now"))
    }

    /// Notes the newest key, which seals, and the other keys. When an installation notes for the first time, all of them may have
    /// sealed values.
    package static func note(_ keyring: Keyring) -> SQL {
        "SELECT note_master_keys(\(keyring.masterKeyIDs.map(\.bytes)), clock_timestamp())"
    }

    /// Notes that a walk with this start found nothing under these keys. A key that a process noted since then does not change,
    /// because that process may have sealed a value after the walk.
    package static func clear(_ keys: [KeyID], since start: Date) -> SQL {
        """
        UPDATE master_key SET cleared_at = \(start)
        WHERE tenant_id = \(UUID.platform) AND id = ANY(\(keys.map(\.bytes))) AND sealing_at < \(start.addingTimeInterval(-silence))
        """
    }

    /// Notes that values were found under these keys. A cleared key is then needed again.
    package static func require(_ keys: [KeyID], at now: Date) -> SQL {
        """
        INSERT INTO master_key (tenant_id, id, sealing_at, created_at)
        SELECT \(UUID.platform), key, \(now.addingTimeInterval(-tokenTime)), \(now) FROM unnest(\(keys.map(\.bytes))) AS found (key)
        ON CONFLICT (tenant_id, id) DO UPDATE
            SET sealing_at = COALESCE(master_key.sealing_at, excluded.sealing_at), cleared_at = NULL
        """
    }
}
