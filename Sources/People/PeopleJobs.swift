package import Access
package import Foundation
package import Logging
package import Postgres
package import ServiceLifecycle

/// The background work on accounts, sessions, invitations and support accesses.
package struct PeopleJobs: Sendable {
    let pool: DatabasePool
    let logger: Logger
    let now: @Sendable () -> Date

    /// How long a row stays after its end, in seconds.
    static let retention: TimeInterval = 30 * 86400

    package init(pool: DatabasePool, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.logger, self.now) = (pool, logger, now)
    }

    package var passes: [any Service] {
        [
            Recurring(.forgetPeople, every: .seconds(600), in: pool, logger: logger) { [now] database in
                try await PeopleJobs.forgetPeople(in: database, at: now())
            },
            Recurring(.endSupportAccesses, every: .seconds(60), in: pool, logger: logger) { [now] database in
                try await SupportAccess.endDue(in: database, at: now())
            },
        ]
    }

    /// Deletes sessions and invitations 30 days after their end. Deletes accounts that had no membership, no open invitation, no change and
    /// no session for 30 days.
    package static func forgetPeople(in database: PlatformDatabase, at now: Date) async throws {
        let end = now.addingTimeInterval(-retention)
        try await database.remove { PersonSession.forgetEnded(before: end, upTo: $0) }
        try await database.remove { Invitation.forgetExpired(before: end, upTo: $0) }
        try await database.remove { Person.forgetUnused(since: end, upTo: $0, at: now) }
    }
}
