package import Access
import Foundation
import Postgres
import Sealing

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofServer: [SealedColumn] = [digestKey]

    private static let digestKey = SealedColumn(
        table: "digest_key", column: "sealed_key", first: ["\\x"],
        page: { after, limit, newest in
            """
            SELECT ARRAY[id::text] AS key, substring(sealed_key FROM 1 FOR 5) AS head,
                CASE WHEN substring(sealed_key FROM 1 FOR 5) <> \(newest) THEN sealed_key END AS sealed
            FROM digest_key WHERE tenant_id = \(UUID.platform) AND id > \(after[0])::bytea ORDER BY id LIMIT \(limit)
            """
        },
        write: { keys, old, new in
            """
            UPDATE digest_key SET sealed_key = change.new
            FROM unnest(\(keys[0])::bytea[], \(old), \(new)) AS change (id, old, new)
            WHERE tenant_id = \(UUID.platform) AND digest_key.id = change.id AND sealed_key = change.old
            """
        },
        context: { key in
            guard let bytes = [UInt8](bytea: key[0]), let id = KeyID(bytes) else { throw SealingError.malformed }
            return InstalledKeys.context(id)
        })
}
