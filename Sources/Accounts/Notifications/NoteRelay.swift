import Access
import Delivery
import Encoding
import Foundation
import Postgres
import Users

/// The data of the webhook event, without the address.
private struct RelayChanged: Encodable {
    let user_id: ID<User>
}

/// The stored state of a user's mail through Apple's relay.
private struct Relay {
    let user: ID<User>
    let email: String?
    let isDisabled: Bool
    let relayEventAt: Date?
    let isDeleted: Bool

    init(_ row: Row) throws {
        user = try row.get("id")
        email = try row.get("email")
        isDisabled = try row.get("email_disabled")
        relayEventAt = try row.get("email_event_at")
        isDeleted = try row.get("is_deleted")
    }
}

extension Identity.Named {
    /// Applies `email-disabled` or `email-enabled`: mail through Apple's relay no longer reaches the user, or reaches the user again. The
    /// later event counts, regardless of the order of arrival. It counts only for the user's current address.
    func noteRelay(
        isDisabled: Bool, email: String?, at moment: Date, of tenant: ID<Tenant>, now: Date, in db: Transaction
    ) async throws -> StoredNotification.Outcome {
        let found = try await db.run(
            lockRelay(of: tenant)
        ).first(Relay.init)
        guard let known = found else { return .unknownUser }
        if let email, known.email.map({ !$0.asciiLowercased.isSame(as: email.asciiLowercased) }) ?? true { return .superseded }
        if known.relayEventAt == moment, known.isDisabled == isDisabled { return .applied }
        guard !known.isDeleted, known.relayEventAt.map({ $0 < moment }) ?? true else { return .superseded }
        var statements: [SQL] = [
            User.setRelay(of: known.user, tenant, isDisabled: isDisabled, at: moment, now: now)
        ]
        if known.isDisabled != isDisabled {
            let kind: WebhookEvent.Kind = isDisabled ? .userEmailDisabled : .userEmailEnabled
            statements += [
                try WebhookEvent.emit(kind, data: RelayChanged(user_id: known.user), owner: tenant.uuid, at: now),
                try AuditEvent.insert(
                    kind.rawValue, of: known.user.description, owner: tenant.uuid, by: .apple, after: AppleWord(event_at: moment), at: now),
            ]
        }
        _ = try await db.run(statements)
        return .applied
    }
}
