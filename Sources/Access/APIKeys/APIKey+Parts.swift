package import Foundation
package import Postgres

/// Parts for statements of other targets.
extension APIKey {
    /// Selects keys that expire between two times and whose owners were not notified, and locks them. It skips keys that another process
    /// holds.
    /// - Parameter owners: Selects the IDs of the owners to notify.
    package static func expiring(after now: Date, until end: Date, of owners: SQL, limit: Int) -> SQL {
        """
        SELECT k.tenant_id, k.id, k.expires_at FROM api_key k JOIN (\(part: owners)) AS t ON t.id = k.tenant_id
        WHERE k.expires_at > \(now) AND k.expires_at <= \(end)
        AND k.revoked_at IS NULL AND k.rolled_to IS NULL AND k.expiry_told_at IS NULL
        ORDER BY k.expires_at LIMIT \(limit) FOR UPDATE OF k SKIP LOCKED
        """
    }

    /// Records that the owners of keys were notified of their expiry.
    package static func noteExpiryNotices(owners: [UUID], ids: [ID<APIKey>], at now: Date) -> SQL {
        """
        UPDATE api_key SET expiry_told_at = \(now) FROM unnest(\(owners), \(ids)) AS notified (owner, id)
        WHERE api_key.tenant_id = notified.owner AND api_key.id = notified.id
        """
    }

    /// Selects keys after a key in the order of the table whose digests are not bound.
    package static func unbound(after owner: UUID, _ id: UUID, limit: Int) -> SQL {
        """
        SELECT tenant_id, id, digest FROM api_key WHERE (tenant_id, id) > (\(owner), \(id)) AND bound_digest IS NULL
        ORDER BY tenant_id, id LIMIT \(limit)
        """
    }

    /// Whether there is a key, and whether there is one with a bound digest, as conditions.
    package static let anyExists: SQL = "EXISTS (SELECT FROM api_key)"
    package static let anyBoundExists: SQL = "EXISTS (SELECT FROM api_key WHERE bound_digest IS NOT NULL)"
}
