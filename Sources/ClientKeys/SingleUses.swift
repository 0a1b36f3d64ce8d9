package import Access
package import Foundation
package import Postgres

/// The values that may be used once per tenant, as digests. A row is necessary only until the value has expired.
package enum SingleUses {
    /// Uses up all values. The schema refuses the row (`single_use_pkey`) if a value was used before.
    /// - Parameter digests: sorted, because another order can cause a deadlock between two statements.
    package static func insert(_ digests: [[UInt8]], of tenant: ID<Tenant>, until end: Date) -> SQL {
        """
        INSERT INTO single_use (tenant_id, digest, expires_at)
        SELECT \(tenant), digest, \(end) FROM unnest(\(digests)) AS digest
        """
    }

    /// Uses up a value. Returns no row if it was used before.
    package static func insertIfNew(_ digest: [UInt8], of tenant: ID<Tenant>, until end: Date) -> SQL {
        """
        INSERT INTO single_use (tenant_id, digest, expires_at) VALUES (\(tenant), \(digest), \(end))
        ON CONFLICT (tenant_id, digest) DO NOTHING RETURNING digest
        """
    }

    /// Returns a row if a value was used before.
    package static func find(_ digests: [[UInt8]], of tenant: ID<Tenant>) -> SQL {
        "SELECT digest FROM single_use WHERE tenant_id = \(tenant) AND digest = ANY(\(digests)) LIMIT 1"
    }

    /// Deletes rows that have expired.
    package static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM single_use AS s USING (
                SELECT tenant_id, digest FROM single_use WHERE expires_at < \(now) ORDER BY expires_at LIMIT \(batch)) AS old
            WHERE s.tenant_id = old.tenant_id AND s.digest = old.digest
            """
        }
    }
}
