import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Tenancy
import Web

/// The parameters of an export: the file, and the start within it.
///
/// The same parameters give the same file, byte for byte, while the ledger does not change. So an interrupted download can continue.
struct UsageExport: Sendable {
    /// The billed tenant, as the file names it.
    struct Owner: Sendable {
        let id: ID<Tenant>
        let slug: String

        init(_ row: Row) throws {
            (id, slug) = (try row.get("id"), try row.get("slug"))
        }
    }

    /// The events and charges that the file contains, and the database that shows no others.
    enum Scope: StatementRunner {
        case tenant(Owner, OwnerDatabase)
        case platform(PlatformDatabase)

        func run(_ statements: [SQL]) async throws -> [Rows] {
            try await source.run(statements)
        }

        /// The time of the oldest event that is not in the ledger yet.
        func waitsSince() async throws -> Date? {
            let tenant: ID<Tenant>? = if case .tenant(let owner, _) = self { owner.id } else { nil }
            return try await run(UsageEvent.oldestWaiting(of: tenant)).first { try $0.get("waits_since", as: Date?.self) } ?? nil
        }

        var source: LedgerPages.Source {
            switch self {
            case .tenant(_, let database): .tenant(database)
            case .platform(let database): .platform(database)
            }
        }
    }

    let format: ExportFormat
    let compression: ExportCompression?
    let scope: Scope
    /// The range `[from, to)` of login times. For charges, of billing periods.
    let from, to: Date
    /// The time up to which the ledger is complete.
    let watermark: Date
    /// The number of bytes that the caller already has.
    let skip: Int

    /// - Parameter settling: `RollUp.delay`, or the value of its setting.
    /// - Throws: `Problem`: 400 with the name of an invalid parameter, 404 for an unknown tenant or a tenant that the key does not act for.
    init(
        _ request: Request, _ call: KeyContext, pool: DatabasePool, skips: Bool, settling: TimeInterval, at now: Date
    ) async throws {
        let names = ["format", "compression", "tenant", "from", "to"]
        let query = try Query(request.uri.query ?? "", skips ? names + ["skip"] : names)
        guard let format = try query.choice("format", ExportFormat.self) else {
            throw Problem.invalid(
                .init("format", "It is required: \(ExportFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))."))
        }
        self.format = format
        compression = try query.choice("compression")
        skip = try query.integer("skip", 0...(1 << 53)) ?? 0
        let (given, end) = (try query.time("from"), try query.time("to"))
        from = given ?? Month(now).start
        let whole = end ?? (given == nil || format == .focus ? Month(now).end : max(now, from.addingTimeInterval(1)))
        // `from` may equal `to`: an empty file ends at its start, and a caller that checks or continues it sends the same value twice.
        guard from <= whole else { throw Problem.invalid(.init("to", "It must not be earlier than `from`.")) }
        guard Self.years.contains(from) else { throw Problem.invalid(.init("from", "It must be in the years 2000 to 2999.")) }
        guard Self.years.contains(whole) else { throw Problem.invalid(.init("to", "It must be in the years 2000 to 2999.")) }
        if format == .focus {
            for (name, time) in [("from", from), ("to", whole)] where Month(time).start != time {
                throw Problem.invalid(.init(name, "FOCUS exports whole months. Use the start of a UTC month."))
            }
        }
        scope = try await Self.scope(query.text("tenant"), call, pool)
        // Events that can still arrive in the ledger belong to the next export, which starts where this one ends.
        let waitsSince = try await scope.waitsSince() ?? now
        watermark = Date(timeIntervalSince1970: min(now - settling, waitsSince).timeIntervalSince1970.rounded(.down))
        to = format == .focus ? whole : max(from, min(whole, watermark))
        try await requireLedger()
    }

    /// Checks that all events of the range are in the ledger.
    /// - Throws: `Problem`: 400 with the name of the parameter if a month is archived.
    func requireLedger() async throws {
        // FOCUS exports charges, which are never archived.
        guard format != .focus else { return }
        let find =
            switch scope {
            case .tenant(let owner, _): LedgerPages.archived(of: owner.id, from: from, to: to)
            case .platform: LedgerPages.archivedOfAll(from: from, to: to)
            }
        if let month = try await scope.run(find).first({ try $0.get("month", as: Month.self) }) {
            throw Problem.invalid(
                .init("from", "Logins of this range are billed in \(month), which is archived and no longer in the ledger."))
        }
    }

    private static let years = Month(year: 2000, month: 1).start...Month(year: 3000, month: 1).start

    /// The approximate number of events in the file.
    func estimatedRows() async throws -> Int {
        let count =
            switch scope {
            case .tenant(let owner, _): LedgerPages.estimate(of: owner.id, from: from, to: to)
            case .platform: LedgerPages.estimateOfAll(from: from, to: to)
            }
        return try await scope.run(count)[0].get("rows")
    }

    /// Without a name, a tenant's key exports its tenant, and an operator's key exports the whole platform.
    private static func scope(_ name: String?, _ call: KeyContext, _ pool: DatabasePool) async throws -> Scope {
        let find: SQL? = name.map {
            "SELECT id, slug FROM (\(part: Tenant.slugs)) AS tenant WHERE id = \(ID<Tenant>($0)) OR slug = \($0)"
        }
        let owner: Owner?
        switch call.access(pool) {
        // Row-level security shows a tenant's key only that tenant.
        case .tenant(let own, let database):
            owner = try await database.run(find ?? "SELECT id, slug FROM (\(part: Tenant.slugs)) AS tenant WHERE id = \(own)")
                .first(Owner.init)
            guard owner?.id == own else { throw Problem.notFound("tenant") }
        case .platform(let database):
            guard let find else { return .platform(database) }
            owner = try await database.run(find).first(Owner.init)
        }
        guard let owner else { throw Problem.notFound("tenant") }
        return .tenant(owner, OwnerDatabase(pool, tenant: owner.id))
    }

    /// Nil for a file of the whole platform.
    var tenant: Owner? {
        if case .tenant(let owner, _) = scope { owner } else { nil }
    }

    /// The name, for example `usage-acme-2026-11-01-2026-12-01.csv.gz`.
    var fileName: String {
        let parts = ["usage", format == .focus ? "focus" : nil, tenant?.slug, Day(from).description, Day(to).description]
        return parts.compactMap(\.self).joined(separator: "-") + ".\(format.fileExtension)" + (compression == nil ? "" : ".gz")
    }

    var mediaType: String { compression == .gzip ? "application/gzip" : format.mediaType }
}
