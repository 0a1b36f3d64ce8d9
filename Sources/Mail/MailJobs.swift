import Access
package import Foundation
package import Logging
package import Outbox
package import Postgres
package import Sealing
package import ServiceLifecycle
package import Web

/// The background work on mails.
package struct MailJobs: Sendable {
    let pool: DatabasePool
    let tenants: SQL
    let keyring: Keyring
    let sender: MailSender?
    let metrics: Metrics
    let logger: Logger
    let now: @Sendable () -> Date

    /// The most connections of one process for queued mails.
    static let connections = 4
    /// The most connections for the mails of one tenant. The others are left for the mails of others.
    private static let share = 2

    /// - Parameter tenants: Selects the ID and the status of every tenant.
    package init(
        pool: DatabasePool, tenants: SQL, keyring: Keyring, sender: MailSender?, metrics: Metrics, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.tenants, self.keyring, self.sender, self.metrics) = (pool, tenants, keyring, sender, metrics)
        (self.logger, self.now) = (logger, now)
    }

    /// The work after a commit, by the kind of the outbox's entry. Without a sender there is none, so the mails of an earlier
    /// configuration stay in the outbox, until a process has a sender again or they expire.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        guard let sender else { return [:] }
        let send = SendMail(
            databases: OwnerDatabases(pool), tenants: tenants, keyring: keyring, sender: sender, metrics: metrics, logger: logger)
        return [Mail.outboxKind: send.handle]
    }

    /// Sends the mails. It is a worker of its own, so that a slow mail server does not delay webhooks, which the other worker delivers.
    /// - Parameters:
    ///   - prelude: The statement that gives a transaction access to every owner's rows.
    ///   - concurrency: The limit of all outbox handlers in this process.
    package func worker(prelude: [SQL], concurrency: Int) -> OutboxWorker {
        var configuration = OutboxWorker.Configuration(concurrency: min(Self.connections, concurrency))
        configuration.share = Self.share
        return OutboxWorker(
            pool: pool, prelude: prelude, handlers: outboxHandlers, configuration: configuration, logger: logger, now: now)
    }

    /// Deletes expired mails. Without a sender, it lets the others wait until their expiry. With one, it continues those that wait for
    /// this reason: an earlier process had no sender, or another one has none.
    func forgetMails(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { QueuedMail.forgetExpired($0, at: now) }
        let hasSender = sender != nil
        try await database.remove { hasSender ? QueuedMail.resume($0, at: now) : QueuedMail.postpone($0, at: now) }
    }

    package var passes: [any Service] {
        [
            Recurring(.forgetMails, every: .seconds(600), in: pool, logger: logger) { database in
                try await forgetMails(in: database, at: now())
            }
        ]
    }
}
