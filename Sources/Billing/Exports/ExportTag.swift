import Access
import Crypto
import Encoding
import Foundation
import Hummingbird
import Ledger
import Postgres
import Tenancy
import Web

extension UsageExport {
    /// The version of the file (RFC 9110, section 8.8.3).
    ///
    /// It covers the parameters that identify the file, and the data that can change it. These are the names of the applications that can
    /// have logins in the window, and the purged tenants, whose events are deleted. A tenant's slug never changes. Nil for charges, because
    /// each login changes those of an open month.
    func entityTag() async throws -> EntityTag? {
        guard format != .focus else { return nil }
        // CloudEvents contain only IDs.
        let hasNames = format == .csv || format == .jsonl
        let (applications, tenants): (SQL, SQL) =
            switch scope {
            case .tenant(let owner, _): ("tenant_id = \(owner.id)", "id = \(owner.id)")
            case .platform: ("true", "true")
            }
        // Sums of hashes need the same memory for a million names as for one.
        let found = try await scope.run([
            """
            SELECT count(*) AS number, bit_xor(hashtextextended(id::text || name, 0)) AS one, bit_xor(hashtextextended(id::text || name, 1)) AS other
            FROM (\(part: Tenancy.Application.names)) AS app WHERE \(hasNames) AND \(part: applications) AND created_at < \(to)
            """,
            """
            SELECT count(*) AS number, bit_xor(hashtextextended(id::text, 0)) AS one, bit_xor(hashtextextended(id::text, 1)) AS other
            FROM (\(part: Tenant.names)) AS tenant WHERE status = 'purged' AND \(part: tenants)
            """,
        ])
        var words = [format.rawValue, compression?.rawValue, tenant?.id.description, Day.moment(from), Day.moment(to)]
        for rows in found {
            for name in ["number", "one", "other"] { words.append(try rows[0].get(name, as: Int?.self).map(String.init)) }
        }
        let text = words.map { $0 ?? "-" }.joined(separator: " ")
        return EntityTag(digest: Array(SHA256.hash(data: Data(text.utf8)).prefix(16)))
    }

    /// Checks that a caller that continues a file has the start of this file.
    /// - Throws: `Problem`: 412 if it is another file.
    static func requireMatch(_ request: Request, _ tag: EntityTag?) throws {
        guard let given = request.headers[.ifMatch]?.listElements, given.count != 1 || !given.has("*") else { return }
        guard let tag, given.has(tag.text) else {
            throw Problem(
                .preconditionFailed,
                "The file has changed: an application was renamed or deleted, or a tenant was purged. Start again without `skip`.")
        }
    }
}
