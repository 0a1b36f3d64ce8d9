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
        [DeliverUsage.outboxKind: DeliverUsage(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, logger: logger).handle]
    }

    package var passes: [any Service] {
        let send = SendMeterEvents(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, settling: settling, logger: logger)
        let compare = CompareMeter(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, logger: logger)
        return [
            Recurring("send meter events", every: .seconds(2), logger: logger) { [now] in try await send.pass(at: now()) },
            Recurring("compare meter events", every: .seconds(120), logger: logger) { [now] in try await compare.pass(at: now()) },
            Recurring("delete old meter events", every: .seconds(600), logger: logger) { [pool, now] in
                try await PlatformDatabase(pool).remove { MeterEvent.forget(at: now(), limit: $0) }
            },
        ]
    }
}
