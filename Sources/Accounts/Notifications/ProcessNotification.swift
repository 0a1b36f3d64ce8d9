package import Access
import Apple
package import Foundation
package import Logging
package import Outbox
import Postgres
package import Sealing
import Users
package import Web

/// Applies a stored notification: the outbox's handler for its kind.
package struct ProcessNotification: Sendable {
    let database: PlatformDatabase
    let keyring: Keyring
    let metrics: Metrics
    let logger: Logger

    package init(database: PlatformDatabase, keyring: Keyring, metrics: Metrics, logger: Logger) {
        (self.database, self.keyring, self.metrics, self.logger) = (database, keyring, metrics, logger)
    }

    /// Applies a notification. It may run any number of times. Each effect depends on the current state, so a repeated, late or outdated
    /// run causes no second effect and none out of order.
    ///
    /// An event may arrive during a first sign-in: Apple has vouched for the user, but Espalier has not saved the user yet. So an unknown
    /// user is looked up again after two minutes, and after 22. Under the shared connection this always happens, because one tenant may
    /// know the person while another one is about to.
    package func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = database.restricted(to: entry.owner)
        let id = ID<StoredNotification>(entry.subject)
        guard
            let notification = try await database.run(StoredNotification.take(id, of: entry.owner, at: now)).first(StoredNotification.init)
        else { return .done }
        // The user was deleted while the notification was waiting, so it concerns nobody.
        guard notification.forgottenAt == nil else {
            try await conclude(
                notification, notification.outcome ?? .unknownUser, AppleEvent.Kind(rawValue: notification.type)?.rawValue ?? "unknown",
                users: notification.users, of: entry.owner)
            return .done
        }
        let event: AppleEvent
        do {
            event = try notification.event(with: keyring, owner: entry.owner)
        } catch {
            logger.error("a notification cannot be opened", metadata: ["notification": "\(id)"])
            try await conclude(notification, .unreadable, "unreadable", of: entry.owner)
            return .done
        }
        let label = StoredNotification.label(event)
        guard let kind = event.kind else {
            try await conclude(notification, .unknownType, label, of: entry.owner)
            return .done
        }

        var (outcome, users) = (StoredNotification.Outcome.unknownUser, 0)
        if let subject = event.subject {
            let named = Identity.Named(teams: notification.teams, subject: subject)
            let reached = try await apply(kind, event, to: named, of: entry.owner, at: now)
            (outcome, users) = (reached.max() ?? .unknownUser, reached.count { $0 > .unknownUser })
        }
        // The second run must not undo the outcome of the first one. It may find that the user has signed in again.
        outcome = max(outcome, notification.outcome ?? outcome)
        let retryAt = Self.signInTimes.map { notification.waitingSince.addingTimeInterval($0) }.first { now < $0 }
        let isSettled = outcome > .unknownUser && entry.owner != .platform || retryAt == nil
        let state: StoredNotification.State = outcome > .unknownUser || isSettled ? .done : .pending
        try await conclude(notification, outcome, label, state, users: max(users, notification.users), of: entry.owner)
        guard !isSettled, let retryAt else { return .done }
        return .again(at: retryAt)
    }

    /// The times from the notification after which an unknown user is looked up again, in seconds. Apple's statement is up to two minutes
    /// older than the saved user. A page that asks takes up to 15 minutes more. An Apple Account that is added in the application takes up
    /// to 20: those of `IdentityTicket`, and those of `ConfirmedIdentity`.
    static let signInTimes: [TimeInterval] = [120, 120 + IdentityTicket.lifetime + ConfirmedIdentity.lifetime]

    /// Applies the event in every tenant that knows the person, each in its own transaction. A failure in one does not stop the others.
    private func apply(
        _ kind: AppleEvent.Kind, _ event: AppleEvent, to named: Identity.Named, of owner: UUID, at now: Date
    ) async throws -> [StoredNotification.Outcome] {
        let tenants =
            owner == .platform
            ? try await database.run(named.tenants).map { try $0.get("tenant_id", as: ID<Tenant>.self) }
            : [ID<Tenant>(owner)]
        var (outcomes, failure): ([StoredNotification.Outcome], (any Error)?) = ([], nil)
        for tenant in tenants {
            do {
                let outcome = try await database.restricted(to: tenant).transaction { db in
                    switch kind {
                    case .consentRevoked: try await named.endConsent(at: event.occurredAt, of: tenant, now: now, in: db)
                    case .accountDeleted: try await named.endAccount(at: event.occurredAt, of: tenant, now: now, in: db)
                    case .emailEnabled, .emailDisabled:
                        try await named.noteRelay(
                            isDisabled: kind == .emailDisabled, email: event.email, at: event.occurredAt, of: tenant, now: now, in: db)
                    }
                }
                outcomes.append(outcome)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return outcomes
    }

    private func conclude(
        _ notification: StoredNotification, _ outcome: StoredNotification.Outcome, _ label: String,
        _ state: StoredNotification.State = .done,
        users: Int = 0, of owner: UUID
    ) async throws {
        let written = try await database.restricted(to: owner).run(notification.conclude(state, outcome, users: users, of: owner))
        if written.affected > 0, state == .done { metrics.count(notification: label, outcome.rawValue) }
    }
}
