package import Access
import Delivery
package import Foundation
import Postgres

/// Notifies tenants of API keys that expire soon, while there is time to roll them. The event is `key.expiring`, once per key.
///
/// It covers keys that expire within a week and are neither rolled nor revoked. A deleted tenant is not notified.
package struct NotifyExpiringKeys: Sendable {
    static let notice: TimeInterval = 7 * 86400

    private struct Expiry: Encodable {
        let api_key_id: ID<APIKey>
        let expires_at: Date
    }

    private let database: PlatformDatabase

    package init(database: PlatformDatabase) {
        self.database = database
    }

    /// Emits the events. Every process may run this at any time. A key that another process is handling is skipped. The transaction that
    /// emits an event also marks its key.
    ///
    /// - Returns: the number of keys with an event.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        var total = 0
        while true {
            let notified = try await notifyBatch(at: now)
            total += notified
            if notified < Self.batch { return total }
        }
    }

    private static let batch = 100

    private func notifyBatch(at now: Date) async throws -> Int {
        try await database.transaction { db in
            let keys = try await db.run(
                APIKey.expiring(
                    after: now, until: now.addingTimeInterval(Self.notice), of: Tenant.open, limit: Self.batch)
            ).map { row in
                (
                    owner: try row.get("tenant_id", as: UUID.self),
                    expiry: Expiry(api_key_id: try row.get("id"), expires_at: try row.get("expires_at"))
                )
            }
            guard !keys.isEmpty else { return 0 }
            var statements = try keys.map { try WebhookEvent.emit(.keyExpiring, data: $0.expiry, owner: $0.owner, at: now) }
            statements.append(
                APIKey.noteExpiryNotices(owners: keys.map(\.owner), ids: keys.map(\.expiry.api_key_id), at: now))
            _ = try await db.run(statements)
            return keys.count
        }
    }
}
