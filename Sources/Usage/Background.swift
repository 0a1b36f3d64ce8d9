package import Outbox
package import ServiceLifecycle
import Tenancy

extension UsageRoutes {
    /// What must happen after a commit, by the kind of the outbox's entry.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        [
            DeliverUsage.outboxKind: DeliverUsage(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, logger: logger).handle
        ]
    }

    private var sendMeterEvents: SendMeterEvents {
        SendMeterEvents(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, settling: settling, logger: logger)
    }

    private var compareMeter: CompareMeter {
        CompareMeter(pool: pool, keyring: keyring, allowsPrivate: allowsPrivate, logger: logger)
    }

    /// What comes with time and not with a request.
    package var passes: [any Service] {
        [
            Recurring("add up usage", every: .seconds(2), logger: logger) { [pool, now] in
                try await RollUp(pool: pool).add(waits: false, at: now())
            },
            Recurring("look at budgets in money", every: .seconds(600), logger: logger) { [pool, now] in
                try await Budget.watchAmounts(in: pool, at: now())
            },
            Recurring("close months", every: .seconds(600), logger: logger) { [pool, grace, simulatesClock, logger, now] in
                try await CloseStatements(pool: pool, grace: grace, simulatesClock: simulatesClock, logger: logger).pass(at: now())
            },
            Recurring("make the ledger's parts", every: .seconds(600), logger: logger) { [pool, logger, now] in
                try await UsagePartitions(pool: pool, logger: logger).pass(at: now())
            },
            Recurring("send meter events", every: .seconds(2), logger: logger) { [sendMeterEvents, now] in
                try await sendMeterEvents.pass(at: now())
            },
            Recurring("compare meter events", every: .seconds(120), logger: logger) { [compareMeter, now] in
                try await compareMeter.pass(at: now())
            },
            Recurring("forget meter events", every: .seconds(600), logger: logger) { [pool, now] in
                try await PlatformDatabase(pool).remove { MeterEvent.forget(at: now(), limit: $0) }
            },
        ]
    }
}
