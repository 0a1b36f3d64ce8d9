import Hummingbird
import Tenancy
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

extension UsageRoutes {
    /// Makes the file a second time and tells what it came to, without sending it: whoever downloaded it compares.
    @Sendable
    func getUsageExportManifest(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.usageRead)
        let export = try await UsageExport(request, call, pool: pool, skips: false, settling: settling, at: now())
        let place = try exports.place(of: call.owner)
        var file = ExportFile(export)
        try await ExportRun(export, pool: pool, publicURL: publicURL, at: now()).write(into: &file) { _ in }
        withExtendedLifetime(place) {}
        return try .json(
            Reply(
                format: export.format.rawValue, compression: export.compression?.rawValue, tenant_id: export.tenant?.id,
                from: Day.moment(export.from), to: Day.moment(export.to), watermark: Day.moment(export.watermark), rows: file.rows,
                bytes: file.bytes, sha256: file.sha256))
    }
}
