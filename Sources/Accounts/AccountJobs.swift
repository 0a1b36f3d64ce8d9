import Access
package import Apple
package import Foundation
package import Logging
package import Outbox
package import Postgres
package import Sealing
package import ServiceLifecycle
package import Web

/// The background work on users' accounts.
package struct AccountJobs: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    let metrics: Metrics
    let logger: Logger
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, apple: AppleClient, metrics: Metrics, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.apple, self.metrics) = (pool, keyring, apple, metrics)
        (self.logger, self.now) = (logger, now)
    }

    /// The work after a commit, by the kind of the outbox's entry.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        [
            AppleRevocation.outboxKind: RevokeAtApple(
                database: PlatformDatabase(pool, for: .revokeAtApple), keyring: keyring, apple: apple, logger: logger
            ).handle,
            StoredNotification.outboxKind: ProcessNotification(
                database: PlatformDatabase(pool, for: .processNotification), keyring: keyring, metrics: metrics, logger: logger
            ).handle,
        ]
    }

    package var passes: [any Service] {
        [
            Recurring(.eraseUsers, every: .seconds(60), in: pool, logger: logger) { [logger, now] database in
                try await EraseUsers(database: database, logger: logger).pass(at: now())
            },
            Recurring(.forgetNotifications, every: .seconds(3600), in: pool, logger: logger) { [now] database in
                try await StoredNotification.forgetOld(in: database, at: now())
            },
        ]
    }
}
