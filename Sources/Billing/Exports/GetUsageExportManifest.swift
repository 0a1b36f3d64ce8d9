import Access
import Hummingbird
import Ledger
import Web

private struct Reply: Encodable {
    let object = "usage_export_manifest"
    let format: String
    let compression: String?
    let tenant_id: ID<Tenant>?
    let from, to, watermark: String
    let rows, bytes: Int
    let sha256: String
}

extension ExportRoutes {
    /// Writes the file again without sending it, and returns its size and digest. The caller compares them with the downloaded file.
    @Sendable
    func getUsageExportManifest(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.usageRead)
        let export = try await UsageExport(request, call, pool: pool, skips: false, settling: settling, at: now())
        let place = try exports.place(of: call.owner)
        async let made = made(export)
        let file: Made
        do { file = try await made } catch is CancellationError where !Task.isCancelled {
            throw Problem(.unavailable, "The export made no progress for 60 s. Retry in a few seconds.")
        }
        withExtendedLifetime(place) {}
        return try .json(
            Reply(
                format: export.format.rawValue, compression: export.compression?.rawValue, tenant_id: export.tenant?.id,
                from: Day.moment(export.from), to: Day.moment(export.to), watermark: Day.moment(export.watermark), rows: file.rows,
                bytes: file.bytes, sha256: file.sha256))
    }

    private struct Made: Sendable {
        let rows, bytes: Int
        let sha256: String
    }

    /// Runs in a separate task. Without progress the task is ended, and the caller receives an error.
    private func made(_ export: UsageExport) async throws -> Made {
        let run = ExportRun(export, publicURL: publicURL, at: now())
        var file = ExportFile(export)
        try await StallWatch.run(limit: .seconds(60)) { watch in
            try await run.write(into: &file, onProgress: watch.step) { _ in watch.step() }
        }
        return Made(rows: file.rows, bytes: file.bytes, sha256: file.sha256)
    }
}
