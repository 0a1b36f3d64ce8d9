package import Access
package import Foundation
package import Postgres

/// A code for a person who has lost the other second factors. It works once. Only its keyed digest is stored.
package struct StoredRecoveryCode: Identified, Sendable {
    package static let idPrefix = "recoverycode"

    package let id: ID<StoredRecoveryCode>
    package let digest: [UInt8]

    package init(_ row: Row) throws {
        id = try row.get("id")
        digest = try row.get("digest")
    }

    /// Replaces all codes of a person. The statements belong into one transaction.
    package static func replace(of person: ID<Person>, digests: [[UInt8]], at now: Date) -> [SQL] {
        let ids = digests.map { _ in ID<StoredRecoveryCode>(at: now) }
        return [
            "DELETE FROM recovery_code WHERE tenant_id = \(UUID.platform) AND person_id = \(person)",
            """
            INSERT INTO recovery_code (id, person_id, digest, created_at)
            SELECT code.id, \(person), code.digest, \(now) FROM unnest(\(ids), \(digests)) AS code (id, digest)
            """,
        ]
    }

    /// The unused codes of a person.
    package static func unused(of person: ID<Person>) -> SQL {
        """
        SELECT id, digest FROM recovery_code WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND used_at IS NULL
        ORDER BY id
        """
    }

    /// Uses the code up. It affects no row if the code was used or replaced since it was read, so two requests cannot use the same one.
    package func use(of person: ID<Person>, at now: Date) -> SQL {
        """
        UPDATE recovery_code SET used_at = \(now)
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND person_id = \(person) AND used_at IS NULL
        """
    }
}
