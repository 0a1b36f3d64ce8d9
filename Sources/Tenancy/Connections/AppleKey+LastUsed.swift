package import Foundation
package import Postgres

extension AppleKey {
    /// Writes when keys were last used. It skips a key that another transaction holds, because a promotion changes two keys.
    @Sendable
    package static func noteUses(owners: [UUID], ids: [UUID], times: [Date]) -> SQL {
        """
        WITH used AS (SELECT * FROM unnest(\(owners), \(ids), \(times)) AS used (owner, id, at)),
        locked AS (
            SELECT k.tenant_id, k.id, used.at FROM used JOIN apple_key k ON k.tenant_id = used.owner AND k.id = used.id
            FOR NO KEY UPDATE OF k SKIP LOCKED)
        UPDATE apple_key SET last_used_at = locked.at FROM locked
        WHERE apple_key.tenant_id = locked.tenant_id AND apple_key.id = locked.id
        AND (apple_key.last_used_at IS NULL OR apple_key.last_used_at < locked.at)
        """
    }
}
