import Access
import Crypto
import Foundation
import Hummingbird
import Ledger
import Postgres
import Web

extension UsageExport {
    /// The version of the file (RFC 9110, section 8.8.3): the words that say which file it is, and what may make another one of them. That
    /// is the applications' names, of those that can have had a login in the window, and which tenants are gone with their events; a
    /// tenant's slug never changes. Nil for charges: those of an open month become more with every login.
    func entityTag(_ pool: DatabasePool) async throws -> EntityTag? {
        guard format != .focus else { return nil }
        // CloudEvents have ids only.
        let hasNames = format == .csv || format == .jsonl
        let (first, last) = (tenant?.id.uuid ?? .platform, tenant?.id.uuid ?? UUID(uuidString: "ffffffff-ffff-ffff-ffff-ffffffffffff")!)
        // Sums of hashes: as little to remember of a million names as of one.
        let found = try await PlatformDatabase(pool).run([
            """
            SELECT count(*) AS number, bit_xor(hashtextextended(id::text || name, 0)) AS one, bit_xor(hashtextextended(id::text || name, 1)) AS other
            FROM application WHERE \(hasNames) AND tenant_id BETWEEN \(first) AND \(last) AND created_at < \(to)
            """,
            """
            SELECT count(*) AS number, bit_xor(hashtextextended(id::text, 0)) AS one, bit_xor(hashtextextended(id::text, 1)) AS other
            FROM tenant WHERE status = 'purged' AND id BETWEEN \(first) AND \(last)
            """,
        ])
        var words = [format.rawValue, compression?.rawValue, tenant?.id.description, Day.moment(from), Day.moment(to)]
        for rows in found {
            for name in ["number", "one", "other"] { words.append(try rows[0].get(name, as: Int?.self).map(String.init)) }
        }
        let text = words.map { $0 ?? "-" }.joined(separator: " ")
        return EntityTag(digest: Array(SHA256.hash(data: Data(text.utf8)).prefix(16)))
    }

    /// Whether who goes on with a file has the beginning of this one.
    /// - Throws: `Problem`: 412 when it is another one.
    static func requireMatch(_ request: Request, _ tag: EntityTag?) throws {
        guard let given = request.headers[.ifMatch]?.listElements, given.count != 1 || !given.has("*") else { return }
        guard let tag, given.has(tag.text) else {
            throw Problem(
                .preconditionFailed,
                "It is another file by now: an application was renamed or deleted, or a tenant is gone. Begin anew, without `skip`.")
        }
    }
}
