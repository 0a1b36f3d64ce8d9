import Access
import Delivery
import Foundation
import Postgres
import Sessions
import Users

/// The data of the webhook event.
private struct ConsentEnded: Encodable {
    let user_id: ID<User>
}

extension Identity.Named {
    /// Applies `consent-revoked`: the user stopped using the Apple account here. All sessions and tokens of the user end, because a session
    /// does not record the identity that it started with. The user may sign in again, which is a new consent.
    ///
    /// If the user has already signed in again when the event arrives, newer sessions stay active and older ones end.
    func endConsent(at moment: Date, of tenant: ID<Tenant>, now: Date, in db: Transaction) async throws -> StoredNotification.Outcome {
        let found = try await hold(of: tenant, against: moment, logins: { Session.logins(of: $0, tenant) }, in: db)
        guard let held = found else { return .unknownUser }
        // This was done before, and the earlier event notified all recipients.
        if held.named.isEnded { return .applied }
        if held.named.isEndedLater { return .superseded }
        if held.named.isNewer {
            // A sign-in that changed nothing else may have left the token of the ended consent in place.
            _ = try await db.run(dropToken(vouchedUntil: moment, of: tenant))
            // Apple's clock may differ from Espalier's. By Espalier's clock, the sessions of the last sign-in started after it.
            let last = min(moment, held.named.lastLoginAt.addingTimeInterval(-0.001))
            let ended = try await Session.endAll(of: held.user, tenant, because: .consentRevoked, startedUntil: last, at: now, in: db)
            if !ended.isEmpty { try await audit(held.user, moment, sessions: ended.count, of: tenant, now: now, in: db) }
            return .superseded
        }
        try await endConsent(of: held, at: moment, isForGood: false, of: tenant, now: now, in: db)
        return .applied
    }

    /// - Parameter isForGood: whether the Apple account was deleted, so that its owner cannot return with it.
    func endConsent(
        of held: Identity.Held, at moment: Date, isForGood: Bool, of tenant: ID<Tenant>, now: Date, in db: Transaction
    ) async throws {
        _ = try await db.run([
            endConsent(at: moment, isForGood: isForGood, of: tenant),
            User.touch(held.user, of: tenant, at: now),
        ])
        let ended = try await Session.endAll(of: held.user, tenant, because: .consentRevoked, at: now, in: db)
        _ = try await db.run(
            WebhookEvent.emit(.userConsentRevoked, data: ConsentEnded(user_id: held.user), owner: tenant.uuid, at: now))
        try await audit(held.user, moment, sessions: ended.count, of: tenant, now: now, in: db)
    }

    private func audit(
        _ user: ID<User>, _ moment: Date, sessions: Int, of tenant: ID<Tenant>, now: Date, in db: Transaction
    ) async throws {
        _ = try await db.run(
            AuditEvent.insert(
                "user.consent_revoked", of: user.description, owner: tenant.uuid, by: .apple,
                after: AppleWord(event_at: moment, sessions: sessions), at: now))
    }
}
