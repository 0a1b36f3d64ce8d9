import Access
import Encoding
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore
import Postgres
import Web

extension ExportRoutes {
    /// Streams the file. The number of rows and the digest are in trailers if the caller accepts them (RFC 9110, section 6.5.1).
    /// `getUsageExportManifest` returns them too.
    @Sendable
    func exportUsage(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.usageRead)
        // First, because all exports share few connections, which the next line uses.
        let place = try exports.place(of: call.owner)
        let export = try await UsageExport(request, call, pool: pool, skips: true, settling: settling, at: now())
        let tag = try await export.entityTag()
        try UsageExport.requireMatch(request, tag)
        let run = ExportRun(export, turns: turns, publicURL: publicURL, at: now())
        try await run.requireLongerThanSkip()

        var headers = try await fields(of: export)
        headers[.contentType] = export.mediaType
        headers[.contentDisposition] = "attachment; filename=\"\(export.fileName)\""
        headers[.cacheControl] = "no-store"
        headers[.eTag] = tag?.text
        let takesTrailers = request.headers[values: .te].contains { value in
            value.listElements.contains { $0.asciiLowercased.begins(with: "trailers") }
        }
        if takesTrailers { headers[.trailer] = "\(HTTPField.Name.exportRows), \(HTTPField.Name.exportSHA256)" }

        let (logger, requestID) = (logger, call.record.current.requestID)
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(place) {} }
                var file = ExportFile(export)
                do {
                    try await StallWatch.run(limit: .seconds(60)) { watch in
                        try await run.write(into: &file) { block in
                            try await watch.send { try await writer.write(block) }
                        }
                    }
                } catch {
                    // The status has been sent already. The body then ends without its end mark, so the caller cannot mistake it for a
                    // whole file.
                    let isOfCaller = error is CancellationError || error is IOError || error is ChannelError
                    logger.log(
                        level: isOfCaller ? .notice : .error, "an export ended incomplete",
                        metadata: ["request_id": "\(requestID)", "cause": "\(error)"])
                    throw error
                }
                try await writer.finish(
                    takesTrailers ? [.exportRows: String(file.rows), .exportSHA256: file.sha256] : nil)
            })
    }

    /// The headers that are known before the first byte.
    private func fields(of export: UsageExport) async throws -> HTTPFields {
        var fields: HTTPFields = [
            .exportFrom: Day.moment(export.from), .exportTo: Day.moment(export.to), .exportWatermark: Day.moment(export.watermark),
        ]
        if export.format != .focus {
            fields[.exportRowsEstimate] = String(try await export.estimatedRows())
        }
        return fields
    }
}

extension HTTPField.Name {
    static let te = HTTPField.Name("TE")!
    static let exportFrom = HTTPField.Name("Export-From")!
    /// The end of the file, where the next one starts.
    static let exportTo = HTTPField.Name("Export-To")!
    static let exportWatermark = HTTPField.Name("Export-Watermark")!
    static let exportRowsEstimate = HTTPField.Name("Export-Rows-Estimate")!
    static let exportRows = HTTPField.Name("Export-Rows")!
    static let exportSHA256 = HTTPField.Name("Export-SHA256")!
}
