import Access
import Foundation
import Ledger
import NIOCore
import Postgres
import Tenancy
import Web

/// Writes an export's file from the first byte to the last.
struct ExportRun: Sendable {
    private let export: UsageExport
    private let turns: ExportTurns
    private let publicURL: String
    private let now: Date

    init(_ export: UsageExport, turns: ExportTurns, publicURL: String, at now: Date) {
        (self.export, self.turns, self.publicURL, self.now) = (export, turns, publicURL, now)
    }

    /// Writes the file and sends the part that the caller does not have yet.
    /// - Parameter send: receives the bytes that the caller does not have yet, and returns when there is room for more.
    func write(
        into file: inout ExportFile, _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        // On the loop of the caller's connection, other requests would wait.
        try await withTaskExecutorPreference(ExportThreads.steps) {
            switch export.format {
            case .csv, .jsonl, .cloudevents: try await writeEvents(into: &file, send)
            case .focus: try await writeCharges(into: &file, send)
            }
        }
        if let end = file.finish() { try await send(end) }
    }

    /// Checks that the file is longer than the caller's part. After the response has started, no error can be sent, and an empty response
    /// would look like the rest of a complete file. So the caller's part is written twice.
    /// - Throws: `Problem`: 400 with the name of the parameter.
    func requireLongerThanSkip() async throws {
        guard export.skip > 0 else { return }
        struct Enough: Error {}
        // The first byte to send is the first one after the caller's part.
        var file = ExportFile(export, isSent: false)
        do {
            try await write(into: &file) { _ in throw Enough() }
        } catch is Enough {
            return
        }
        guard file.bytes < export.skip else { return }
        throw Problem.invalid(
            .init(
                "skip",
                "The file has \(file.bytes) bytes, fewer than `skip`. Check `from`, `to` and `format`, or start again without `skip`."))
    }

    private func writeEvents(into file: inout ExportFile, _ send: (ByteBuffer) async throws -> Void) async throws {
        let ledger = try await LedgerPages(export.scope.source, from: export.from, to: export.to, at: now)
        var text = LedgerText(export.format)
        if let start = file.add(text.header, rows: 0) { try await send(start) }
        guard export.from < export.to else { return }
        var position: LedgerPages.Position? = ledger.start
        while let start = position {
            let buffers: [ByteBuffer]
            (buffers, position) = try await turns.run(isSent: file.isSent) {
                guard let page = try await ledger.page(after: start) else { return ([], nil) }
                try await learn(&text, for: page)
                let buffers = try await withTaskExecutorPreference(ExportThreads.text) { try write(page, as: &text, into: &file) }
                return (buffers, page.next)
            }
            for buffer in buffers { try await send(buffer) }
        }
        // If a month was archived since the start, its events are missing here.
        try await export.requireLedger()
    }

    private func write(_ page: LedgerPages.Page, as text: inout LedgerText, into file: inout ExportFile) throws -> [ByteBuffer] {
        var buffers: [ByteBuffer] = []
        var (offset, rows) = (0, 0)
        while case let block = try text.block(of: page.bytes, from: &offset, rows: &rows), !block.isEmpty {
            if let buffer = file.add(block, rows: rows) { buffers.append(buffer) }
        }
        return buffers
    }

    private func learn(_ text: inout LedgerText, for page: LedgerPages.Page) async throws {
        let unknown = try await withTaskExecutorPreference(ExportThreads.text) { try text.unknown(in: page.bytes) }
        guard !unknown.tenants.isEmpty || !unknown.applications.isEmpty else { return }
        let (namedTenants, namedApplications) = try await export.scope.run(
            "SELECT id, slug AS name FROM (\(part: Tenant.slugs)) AS tenant WHERE id = ANY(\(Array(unknown.tenants)))",
            // An ID belongs to only one tenant.
            "SELECT id, name FROM (\(part: Application.names)) AS app WHERE id = ANY(\(Array(unknown.applications)))")
        func names(_ rows: Rows) throws -> [UUID: String] {
            Dictionary(try rows.map { row in (try row.get("id"), try row.get("name")) }) { first, _ in first }
        }
        let (tenants, applications) = (try names(namedTenants), try names(namedApplications))
        for id in unknown.tenants { text.learn(tenant: id, tenants[id]) }
        for id in unknown.applications { text.learn(application: id, applications[id]) }
    }

    private func writeCharges(into file: inout ExportFile, _ send: (ByteBuffer) async throws -> Void) async throws {
        let charges = FocusExport(export.scope, publicURL: publicURL, at: now)
        if let start = file.add(CSV.line(FocusRow.columns.map { .text($0.name) }), rows: 0) { try await send(start) }
        // In development, months can be closed before they have started.
        let closed = try await export.scope.run("SELECT max(period) AS month FROM statement")[0].get("month", as: Month?.self)
        let last = max(Month(now), closed ?? Month(now))
        var month = Month(export.from)
        while month.start < export.to, month <= last {
            var position: UUID? = .platform
            while let after = position {
                let buffer: ByteBuffer?
                (buffer, position) = try await turns.run(isSent: file.isSent) {
                    let (rows, last) = try await charges.rows(of: month, after: after)
                    return await withTaskExecutorPreference(ExportThreads.text) {
                        let block = rows.flatMap { row in CSV.line(FocusRow.columns.map { $0.field(row) }) }
                        return (file.add(block, rows: rows.count), last)
                    }
                }
                if let buffer { try await send(buffer) }
            }
            month = month.next
        }
    }
}
