package import Outbox
package import ServiceLifecycle
import Tenancy

extension Login {
    /// What must happen after a commit, by the kind of the outbox's entry.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        [
            DeliverLogoutToken.outboxKind: DeliverLogoutToken(
                pool: pool, signingKeys: signingKeys, publicURL: publicURL, allowsPrivate: allowsPrivateWebhooks, logger: logger
            ).handle,
            AppleRevocation.outboxKind: RevokeAtApple(pool: pool, keyring: keyring, apple: apple, logger: logger).handle,
            KeptNotification.outboxKind: workOff,
        ]
    }

    /// What comes with time and not with a request.
    package var passes: [any Service] {
        [
            Recurring("forget old revocations", every: .seconds(600), logger: logger) { [pool] in
                try await Revocations.forgetOld(in: PlatformDatabase(pool))
            },
            Recurring("rotate signing keys", every: .seconds(600), logger: logger) { [pool, keyring, logger] in
                try await DueSigningKeys(pool: pool, keyring: keyring, logger: logger).rotate()
            },
            Recurring("forget used id_tokens", every: .seconds(600), logger: logger) { [pool, now] in
                try await SingleUse.forgetOld(in: PlatformDatabase(pool), at: now())
            },
            Recurring("erase deleted users", every: .seconds(60), logger: logger) {
                try await EraseUsers(pool: pool, logger: logger).pass(at: now())
            },
            Recurring("forget transfer identifiers", every: .seconds(60), logger: logger) { [pool, logger, now] in
                try await ForgetTransferIdentifiers(pool: pool, logger: logger).pass(at: now())
            },
            Recurring("fold transfer counts", every: .seconds(60), logger: logger) { [pool] in
                try await TransferCount.fold(in: pool)
            },
            Recurring("forget old notifications", every: .seconds(3600), logger: logger) {
                try await KeptNotification.forgetOld(in: PlatformDatabase(pool), at: now())
            },
        ]
    }
}
