import Crypto
import Encoding
import Foundation
import Ledger
import NIOCore

/// The file of an export while it is written: compressed, counted, digested, and without the part that the caller already has.
struct ExportFile {
    private var digest = SHA256()
    private let gzip: Gzip?
    private var skipped: Int
    private let mayBeSent: Bool
    /// The number of data lines, without a header.
    private(set) var rows = 0
    private(set) var bytes = 0

    /// - Parameter isSent: false if the file is only counted and digested.
    init(_ export: UsageExport, isSent: Bool = true) {
        mayBeSent = isSent
        gzip = export.compression == .gzip ? Gzip() : nil
        skipped = export.skip
    }

    /// Whether the caller receives the next bytes.
    var isSent: Bool { mayBeSent && skipped == 0 }

    /// Adds a block to the file.
    /// - Returns: the bytes to send, or nil if there are none yet.
    mutating func add(_ block: [UInt8], rows: Int) -> ByteBuffer? {
        self.rows += rows
        return append(gzip?.compress(block) ?? block)
    }

    /// Completes the file.
    /// - Returns: the remaining bytes.
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

    /// SHA-256 over the whole file, including the skipped part, in hexadecimal.
    var sha256: String { digest.finalize().hexadecimal }
}
