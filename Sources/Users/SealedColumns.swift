package import Access
import Foundation
import Postgres
import Sealing

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofUsers: [SealedColumn] = [identity]

    private static let identity = SealedColumn(
        table: "identity", column: "sealed_refresh_token", first: [UUID.platform.uuidString, "", ""],
        page: { after, limit, newest in
            """
            SELECT ARRAY[tenant_id::text, team_id, apple_sub] AS key, substring(sealed_refresh_token FROM 1 FOR 5) AS head,
                CASE WHEN substring(sealed_refresh_token FROM 1 FOR 5) <> \(newest) THEN sealed_refresh_token END AS sealed
            FROM identity WHERE (tenant_id, team_id, apple_sub) > (\(after[0])::uuid, \(after[1]), \(after[2]))
            ORDER BY tenant_id, team_id, apple_sub LIMIT \(limit)
            """
        },
        write: { keys, old, new in
            """
            WITH held AS (
                SELECT stored.tenant_id, stored.team_id, stored.apple_sub, change.new
                FROM unnest(\(keys[0])::uuid[], \(keys[1]), \(keys[2]), \(old), \(new))
                    AS change (tenant_id, team_id, apple_sub, old, new)
                JOIN identity stored ON stored.tenant_id = change.tenant_id AND stored.team_id = change.team_id
                    AND stored.apple_sub = change.apple_sub
                WHERE stored.sealed_refresh_token = change.old FOR NO KEY UPDATE OF stored SKIP LOCKED)
            UPDATE identity stored SET sealed_refresh_token = held.new FROM held
            WHERE stored.tenant_id = held.tenant_id AND stored.team_id = held.team_id AND stored.apple_sub = held.apple_sub
            """
        },
        context: { key in
            guard let tenant = UUID(uuidString: key[0]) else { throw SealingError.malformed }
            return Identity.context(ID(tenant), team: key[1], subject: key[2])
        })
}
