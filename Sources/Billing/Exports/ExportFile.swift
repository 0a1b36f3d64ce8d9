import Crypto
import Foundation
import Ledger
import NIOCore

/// The file that an export is, as it comes about: compressed, counted, digested, and without the part that the caller has already.
struct ExportFile {
    private var digest = SHA256()
    private let gzip: Gzip?
    private var skipped: Int
    /// Lines of data, without a header.
    private(set) var rows = 0
    private(set) var bytes = 0

    init(_ export: UsageExport) {
        gzip = export.compression == .gzip ? Gzip() : nil
        skipped = export.skip
    }

    /// Adds to the file.
    /// - Returns: what of it is to be sent; nil for nothing.
    mutating func add(_ block: [UInt8], rows: Int) -> ByteBuffer? {
        self.rows += rows
        return append(gzip?.compress(block) ?? block)
    }

    /// - Returns: what was still to come.
    mutating func finish() -> ByteBuffer? {
        append(gzip?.compress([], isLast: true) ?? [])
    }

    private mutating func append(_ block: [UInt8]) -> ByteBuffer? {
        guard !block.isEmpty else { return nil }
        digest.update(data: block)
        bytes += block.count
        let dropped = min(skipped, block.count)
        skipped -= dropped
        return dropped == block.count ? nil : ByteBuffer(bytes: block[dropped...])
    }

    /// SHA-256 over the whole file, what was skipped included, in hexadecimal.
    var sha256: String { digest.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
}
