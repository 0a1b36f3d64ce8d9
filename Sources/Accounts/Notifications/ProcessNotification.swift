import Access
import Apple
package import Foundation
package import Logging
package import Outbox
package import Postgres
package import Sealing
import Users
package import Web

/// Applies a stored notification: the outbox's handler for its kind.
package struct ProcessNotification: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let metrics: Metrics
    let logger: Logger

    package init(pool: DatabasePool, keyring: Keyring, metrics: Metrics, logger: Logger) {
        (self.pool, self.keyring, self.metrics, self.logger) = (pool, keyring, metrics, logger)
    }

    /// Does what a notification says. Again and again, should it have to: each effect looks at what is there, so that doing it
    /// twice, late, or after its successor does no more than once and in order.
    ///
    /// A first sign-in may be under way while the event comes: Apple has vouched, and we have not kept the user yet. So whoever is
    /// not found is looked for once more, two minutes later; under the shared connection in any case, since one tenant may know
    /// the person and another be just about to.
    package func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = OwnerDatabase(pool, owner: entry.owner)
        let id = ID<StoredNotification>(entry.subject)
        guard let notification = try await database.run(StoredNotification.take(id, of: entry.owner, at: now)).first(StoredNotification.init)
        else { return .done }
        // Deleted while it was waiting: there is nobody left whom it could concern.
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
        // What the first look has done is not undone by the second, which may find the user signed in anew.
        outcome = max(outcome, notification.outcome ?? outcome)
        let secondLook = notification.waitingSince.addingTimeInterval(Self.signInTime)
        let isSettled = outcome > .unknownUser && entry.owner != .platform || now >= secondLook
        let state: StoredNotification.State = outcome > .unknownUser || isSettled ? .done : .pending
        try await conclude(notification, outcome, label, state, users: max(users, notification.users), of: entry.owner)
        return isSettled ? .done : .again(at: secondLook)
    }

    /// How long it takes at the most from Apple's word to a user of ours, in seconds.
    static let signInTime: TimeInterval = 120

    /// In every tenant that knows the person, each in a transaction of its own: one where it fails does not stop the others.
    private func apply(
        _ kind: AppleEvent.Kind, _ event: AppleEvent, to named: Identity.Named, of owner: UUID, at now: Date
    ) async throws -> [StoredNotification.Outcome] {
        let tenants =
            owner == .platform
            ? try await PlatformDatabase(pool).run(named.tenants).map { try $0.get("tenant_id", as: ID<Tenant>.self) }
            : [ID<Tenant>(owner)]
        var (outcomes, failure): ([StoredNotification.Outcome], (any Error)?) = ([], nil)
        for tenant in tenants {
            do {
                let outcome = try await OwnerDatabase(pool, tenant: tenant).transaction { db in
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
        _ notification: StoredNotification, _ outcome: StoredNotification.Outcome, _ label: String, _ state: StoredNotification.State = .done,
        users: Int = 0, of owner: UUID
    ) async throws {
        let written = try await OwnerDatabase(pool, owner: owner).run(notification.conclude(state, outcome, users: users, of: owner))
        if written.affected > 0, state == .done { metrics.count(notification: label, outcome.rawValue) }
    }
}
