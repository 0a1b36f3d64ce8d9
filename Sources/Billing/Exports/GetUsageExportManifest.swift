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
        let place = try exports.place(of: call.owner)
        let export = try await UsageExport(request, call, pool: pool, skips: false, settling: settling, at: now())
        var file = ExportFile(export, isSent: false)
        try await ExportRun(export, turns: turns, publicURL: publicURL, at: now()).write(into: &file) { _ in }
        withExtendedLifetime(place) {}
        return try .json(
            Reply(
                format: export.format.rawValue, compression: export.compression?.rawValue, tenant_id: export.tenant?.id,
                from: Day.moment(export.from), to: Day.moment(export.to), watermark: Day.moment(export.watermark), rows: file.rows,
                bytes: file.bytes, sha256: file.sha256))
    }
}
