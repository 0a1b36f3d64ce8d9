import Access
import Foundation
package import Postgres
package import Sealing
import Tenancy

/// Rows whose digest is not yet bound to them. Servers of the previous version write such rows.
///
/// The bound digest is calculated from the digest, so no secret is needed.
package enum UnboundDigests {
    private static let batch = 1000

    /// Binds all of them, one batch at a time.
    /// - Parameter database: It has access to the rows of every owner.
    package static func bind(with keyring: Keyring, in database: some StatementRunner) async throws {
        try await bind(
            in: database, page: { APIKey.unbound(after: $0, $1, limit: batch) },
            row: { row, owner in
                let id: ID<APIKey> = try row.get("id")
                return (id.uuid, keyring.bind(try row.get("digest"), to: APIKey.context(id, owner: owner)))
            }, write: { "SELECT bind_api_keys(\($0), \($1), \($2))" })
        try await bind(
            in: database, page: { ApplicationSecret.unbound(after: $0, $1, limit: batch) },
            row: { row, owner in
                let id: ID<ApplicationSecret> = try row.get("id")
                let context = ApplicationSecret.context(id, of: try row.get("application_id"), tenant: ID(owner))
                return (id.uuid, keyring.bind(try row.get("digest"), to: context))
            }, write: { "SELECT bind_application_secrets(\($0), \($1), \($2))" })
    }

    private static func bind(
        in database: some StatementRunner, page: (UUID, UUID) -> SQL, row: (Row, UUID) throws -> (UUID, [UInt8]),
        write: ([UUID], [UUID], [[UInt8]]) -> SQL
    ) async throws {
        var last = (UUID.platform, UUID.platform)
        while true {
            var (owners, ids, bound): ([UUID], [UUID], [[UInt8]]) = ([], [], [])
            for found in try await database.run(page(last.0, last.1)) {
                let owner: UUID = try found.get("tenant_id")
                let (id, digest) = try row(found, owner)
                owners.append(owner)
                ids.append(id)
                bound.append(digest)
            }
            guard let owner = owners.last, let id = ids.last else { return }
            _ = try await database.run(write(owners, ids, bound))
            guard ids.count == batch else { return }
            last = (owner, id)
        }
    }
}
