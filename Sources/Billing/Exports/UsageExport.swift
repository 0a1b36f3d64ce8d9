import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Web

/// What a caller wants exported: which file, and where in it to begin. The same words say the same file, byte for byte, as long as the
/// ledger is the same; that is what lets an interrupted download go on.
struct UsageExport: Sendable {
    /// Who is billed, as far as a file names them.
    struct Owner: Sendable {
        let id: ID<Tenant>
        let slug: String

        init(_ row: Row) throws {
            (id, slug) = (try row.get("id"), try row.get("slug"))
        }
    }

    let format: ExportFormat
    let compression: ExportCompression?
    /// Nil is the whole platform.
    let tenant: Owner?
    /// `[from, to)`, by when a login happened; of charges, by their billing period.
    let from, to: Date
    /// Up to when the ledger is complete.
    let watermark: Date
    /// How many of the file's bytes the caller has already.
    let skip: Int

    /// - Parameter settling: `RollUp.delay`, or what a setting says.
    /// - Throws: `Problem`: 400 by name for what cannot be, 404 for a tenant that there is not, or that the key is not for.
    init(
        _ request: Request, _ call: KeyContext, pool: DatabasePool, skips: Bool, settling: TimeInterval, at now: Date
    ) async throws {
        let names = ["format", "compression", "tenant", "from", "to"]
        let query = try Query(request.uri.query ?? "", skips ? names + ["skip"] : names)
        guard let format = try query.choice("format", ExportFormat.self) else {
            throw Problem.invalid(
                .init("format", "It is required: one of \(ExportFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))."))
        }
        self.format = format
        compression = try query.choice("compression")
        skip = try query.integer("skip", 0...(1 << 53)) ?? 0
        watermark = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - settling).rounded(.down))

        let (given, end) = (try query.time("from"), try query.time("to"))
        from = given ?? Month(now).start
        let whole = end ?? (given == nil || format == .focus ? Month(now).end : max(now, from.addingTimeInterval(1)))
        // Not later: a file with nothing in it ends where it begins, and is asked for again by that, to be checked or gone on with.
        guard from <= whole else { throw Problem.invalid(.init("to", "It must not be earlier than `from`.")) }
        guard Self.years.contains(from) else { throw Problem.invalid(.init("from", "It must lie between the years 2000 and 2999.")) }
        guard Self.years.contains(whole) else { throw Problem.invalid(.init("to", "It must lie between the years 2000 and 2999.")) }
        if format == .focus {
            for (name, time) in [("from", from), ("to", whole)] where Month(time).start != time {
                throw Problem.invalid(.init(name, "FOCUS tells of whole months: give the first moment of one, in UTC."))
            }
            to = whole
        } else {
            // What may still come is left for the next export, which begins where this one ends.
            to = max(from, min(whole, watermark))
        }
        tenant = try await Self.tenant(query.text("tenant"), call, pool)
        try await requireLedger(pool)
    }

    /// Makes sure that all of it is in the ledger.
    /// - Throws: `Problem`: 400 by name for a month that is archived.
    func requireLedger(_ pool: DatabasePool) async throws {
        // FOCUS has charges, which stay.
        guard format != .focus else { return }
        let archived = try await PlatformDatabase(pool).run(LedgerPages.archived(tenant?.id, from: from, to: to))
        if let month = try archived.first({ try $0.get("month", as: Month.self) }) {
            throw Problem.invalid(
                .init("from", "Logins of this window were billed in \(month), which is no longer in the ledger but in its archive."))
        }
    }

    private static let years = Month(year: 2000, month: 1).start...Month(year: 3000, month: 1).start

    private static func tenant(_ name: String?, _ call: KeyContext, _ pool: DatabasePool) async throws -> Owner? {
        guard let name else {
            guard let own = call.tenant else { return nil }
            // Nobody is the whole platform: a tenant that is not found must never read as that.
            guard let owner = try await call.database(pool).run("SELECT id, slug FROM tenant WHERE id = \(own)").first(Owner.init)
            else { throw Problem.notFound("tenant") }
            return owner
        }
        // By a tenant's key, row-level security shows that tenant alone; by an operator's, all.
        let find: SQL = "SELECT id, slug FROM tenant WHERE id = \(ID<Tenant>(name)) OR slug = \(name)"
        let found = call.tenant == nil ? try await PlatformDatabase(pool).run(find) : try await call.database(pool).run(find)
        guard let owner = try found.first(Owner.init), call.tenant == nil || owner.id == call.tenant
        else { throw Problem.notFound("tenant") }
        return owner
    }

    /// As in `usage-acme-2026-11-01-2026-12-01.csv.gz`.
    var fileName: String {
        let parts = ["usage", format == .focus ? "focus" : nil, tenant?.slug, Day(from).description, Day(to).description]
        return parts.compactMap(\.self).joined(separator: "-") + ".\(format.fileExtension)" + (compression == nil ? "" : ".gz")
    }

    var mediaType: String { compression == .gzip ? "application/gzip" : format.mediaType }
}
