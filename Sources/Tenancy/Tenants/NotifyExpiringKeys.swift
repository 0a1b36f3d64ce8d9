import Access
import Delivery
package import Foundation
package import Postgres

/// Notifies tenants of API keys that expire soon, while there is time to roll them. The event is `key.expiring`, once per key.
///
/// It covers keys that expire within a week and are neither rolled nor revoked. A deleted tenant is not notified.
package struct NotifyExpiringKeys: Sendable {
    static let notice: TimeInterval = 7 * 86400

    private struct Told: Encodable {
        let api_key_id: ID<APIKey>
        let expires_at: Date
    }

    private let database: PlatformDatabase

    package init(pool: DatabasePool) {
        database = PlatformDatabase(pool)
    }

    /// Emits the events. Every process may run this at any time. A key that another process is handling is skipped. The transaction that
    /// emits an event also marks its key.
    ///
    /// - Returns: the number of keys with an event.
    @discardableResult
    package func tell(at now: Date) async throws -> Int {
        var total = 0
        while true {
            let told = try await tellSome(at: now)
            total += told
            if told < Self.batch { return total }
        }
    }

    private static let batch = 100

    private func tellSome(at now: Date) async throws -> Int {
        try await database.transaction { db in
            let keys = try await db.run(
                """
                SELECT k.tenant_id, k.id, k.expires_at FROM api_key k JOIN tenant t ON t.id = k.tenant_id
                WHERE k.expires_at > \(now) AND k.expires_at <= \(now.addingTimeInterval(Self.notice))
                AND k.revoked_at IS NULL AND k.rolled_to IS NULL AND k.expiry_told_at IS NULL AND t.status IN ('active', 'suspended')
                ORDER BY k.expires_at LIMIT \(Self.batch) FOR UPDATE OF k SKIP LOCKED
                """
            ).map { row in
                (
                    owner: try row.get("tenant_id", as: UUID.self),
                    told: Told(api_key_id: try row.get("id"), expires_at: try row.get("expires_at"))
                )
            }
            guard !keys.isEmpty else { return 0 }
            var statements = try keys.map { try WebhookEvent.emit(.keyExpiring, data: $0.told, owner: $0.owner, at: now) }
            statements.append(
                """
                UPDATE api_key SET expiry_told_at = \(now)
                FROM unnest(\(keys.map(\.owner)), \(keys.map(\.told.api_key_id))) AS told (owner, id)
                WHERE api_key.tenant_id = told.owner AND api_key.id = told.id
                """)
            _ = try await db.run(statements)
            return keys.count
        }
    }
}
