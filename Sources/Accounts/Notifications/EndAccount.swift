import Access
import Delivery
import Foundation
import Postgres
import Sessions
import Users

/// The data of the webhook event.
private struct AccountDeleted: Encodable {
    let user_id: ID<User>
    let reason = "account_deleted"
    let erase_after: Date
}

extension Identity.Named {
    /// Applies `account-deleted`: the Apple account no longer exists. The user is marked as deleted, and all sessions and tokens end. The
    /// profile is erased when the tenant's retention is over (`EraseUsers`). Until then, no identity of the user can sign in. If Apple
    /// vouches for the person afterwards, the person becomes a new user.
    ///
    /// If the user has another Apple Account, the user loses only this one. The user has another one if it is an identity under the same
    /// team, or if Apple has vouched for the user under another team since then.
    func endAccount(at moment: Date, of tenant: ID<Tenant>, now: Date, in db: Transaction) async throws -> StoredNotification.Outcome {
        let found = try await hold(of: tenant, against: moment, logins: { Session.logins(of: $0, tenant) }, in: db)
        guard let held = found else { return .unknownUser }
        if held.named.isAccountDeleted { return .applied }
        if held.named.isNewer { return .superseded }
        if held.hasOtherAccount {
            try await endConsent(of: held, at: moment, isForGood: true, of: tenant, now: now, in: db)
            return .applied
        }
        let (_, marked) = try await db.run(
            Identity.endAll(of: held.user, tenant),
            User.markDeleted(held.user, of: tenant, at: now))
        let eraseAfter = try marked.first { try $0.get("erase_after", as: Date.self) } ?? now
        let ended = try await Session.endAll(of: held.user, tenant, because: .accountDeleted, at: now, in: db)
        _ = try await db.run([
            try WebhookEvent.emit(
                .userDeleted, data: AccountDeleted(user_id: held.user, erase_after: eraseAfter), owner: tenant.uuid, at: now),
            try AuditEvent.insert(
                "user.account_deleted", of: held.user.description, owner: tenant.uuid, by: .apple,
                after: AppleWord(event_at: moment, sessions: ended.count, erase_after: eraseAfter), at: now),
        ])
        return .applied
    }
}
