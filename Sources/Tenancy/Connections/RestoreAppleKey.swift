import Access
import Delivery
package import Foundation
package import Postgres
import Web

extension AppleKey {
    /// Makes the previous key current again if Apple refuses the new one. The refused key becomes the next one.
    ///
    /// So the outage ends automatically at the first affected login. If several logins are affected at once, only one makes the change.
    ///
    /// - Returns: whether this call made the change.
    package static func restore(_ previous: AppleKey, insteadOf refused: AppleKey, in pool: DatabasePool, at now: Date) async throws -> Bool
    {
        let (owner, connection) = (previous.owner, previous.connection)
        return try await OwnerDatabase(pool, owner: owner).transaction { db in
            guard let before = try await ConnectionDetails.lock(connection, owner: owner, in: db),
                let old = before.keys.first(where: { $0.id == previous.id && $0.state == .previous }),
                old.usableUntil.map({ $0 > now }) ?? false,
                let new = before.keys.first(where: { $0.id == refused.id && $0.state == .current })
            else { return false }
            _ = try await db.run([
                "UPDATE apple_key SET state = 'next', proven_at = NULL, updated_at = \(now) WHERE tenant_id = \(owner) AND id = \(new.id)",
                """
                UPDATE apple_key SET state = 'current', usable_until = NULL, updated_at = \(now)
                WHERE tenant_id = \(owner) AND id = \(old.id)
                """,
                """
                UPDATE connection SET updated_at = \(now.asChange(after: before.updatedAt)), check_due_at = \(now)
                WHERE tenant_id = \(owner) AND id = \(connection)
                """,
            ])
            let after = try await ConnectionDetails.find(connection, owner: owner, in: db)
            _ = try await db.run([
                try WebhookEvent.emit(
                    .connectionFailing, data: ConnectionFailing(connection_id: connection, reason: .keyRefused, apple_key_id: new.id),
                    owner: owner, at: now),
                try AuditEvent.insert(
                    "restoreAppleKey", of: old.id.description, owner: owner, by: .system, before: before.keys.map(AppleKeyReply.init),
                    after: after?.keys.map(AppleKeyReply.init), at: now),
            ])
            return true
        }
    }
}
