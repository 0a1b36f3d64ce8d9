package import Foundation
package import Postgres

extension APIKey {
    /// Writes when keys were last used. Rows are locked in the order of their IDs, so two processes that write the same ones cannot
    /// deadlock.
    @Sendable
    package static func noteUses(owners: [UUID], ids: [UUID], times: [Date]) -> SQL {
        """
        WITH used AS (SELECT * FROM unnest(\(owners), \(ids), \(times)) AS used (owner, id, at)),
        locked AS (
            SELECT k.tenant_id, k.id, used.at FROM used JOIN api_key k ON k.tenant_id = used.owner AND k.id = used.id
            ORDER BY k.tenant_id, k.id FOR NO KEY UPDATE OF k)
        UPDATE api_key SET last_used_at = locked.at FROM locked
        WHERE api_key.tenant_id = locked.tenant_id AND api_key.id = locked.id
        AND (api_key.last_used_at IS NULL OR api_key.last_used_at < locked.at)
        """
    }
}
