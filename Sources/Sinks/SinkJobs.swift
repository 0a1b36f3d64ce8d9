import Access
package import Foundation
package import Logging
package import Outbox
package import Postgres
package import Sealing
package import ServiceLifecycle

/// The background work of the usage sink.
package struct SinkJobs: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// Whether sinks may be on private networks.
    let allowsPrivate: Bool
    /// How long after a login its event may come to light, in seconds.
    let settling: TimeInterval
    let logger: Logger
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, allowsPrivate: Bool, settling: TimeInterval, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.allowsPrivate, self.settling) = (pool, keyring, allowsPrivate, settling)
        (self.logger, self.now) = (logger, now)
    }

    /// The work after a commit, by the kind of the outbox's entry.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        let deliver = DeliverUsage(
            database: PlatformDatabase(pool, for: .deliverUsage), keyring: keyring, allowsPrivate: allowsPrivate, logger: logger)
        return [DeliverUsage.outboxKind: deliver.handle]
    }

    package var passes: [any Service] {
        [
            Recurring(.sendMeterEvents, every: .seconds(2), in: pool, logger: logger) {
                [keyring, allowsPrivate, settling, logger, now] database in
                let send = SendMeterEvents(
                    database: database, keyring: keyring, allowsPrivate: allowsPrivate, settling: settling, logger: logger)
                try await send.pass(at: now())
            },
            Recurring(.compareMeter, every: .seconds(120), in: pool, logger: logger) { [keyring, allowsPrivate, logger, now] database in
                let compare = CompareMeter(database: database, keyring: keyring, allowsPrivate: allowsPrivate, logger: logger)
                try await compare.pass(at: now())
            },
            Recurring(.forgetMeterEvents, every: .seconds(600), in: pool, logger: logger) { [now] database in
                try await database.remove { MeterEvent.forget(at: now(), limit: $0) }
            },
        ]
    }
}
