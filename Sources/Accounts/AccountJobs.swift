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
            AppleRevocation.outboxKind: RevokeAtApple(pool: pool, keyring: keyring, apple: apple, logger: logger).handle,
            StoredNotification.outboxKind: ProcessNotification(
                pool: pool, keyring: keyring, metrics: metrics, logger: logger
            ).handle,
        ]
    }

    package var passes: [any Service] {
        [
            Recurring("erase deleted users", every: .seconds(60), logger: logger) { [pool, logger, now] in
                try await EraseUsers(pool: pool, logger: logger).pass(at: now())
            },
            Recurring("forget old notifications", every: .seconds(3600), logger: logger) { [pool, now] in
                try await StoredNotification.forgetOld(in: PlatformDatabase(pool), at: now())
            },
        ]
    }
}
