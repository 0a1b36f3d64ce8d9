import Crypto
import Encoding
import Foundation

/// The content of an archived month's file: the number of events, and the digest of each tenant's statement.
package struct ArchiveContent: Equatable, Sendable {
    struct OfTenant: Codable, Equatable, Sendable {
        let tenant_id: UUID
        let rows: Int
        /// SHA-256 in hexadecimal, as in the statement: over the tenant's lines without period and tenant, with tabs instead of commas.
        let digest: String

        enum CodingKeys: CodingKey { case tenant_id, rows, digest }

        /// Encodes the ID in lowercase letters, as in the file. So a copy from the manifest finds the tenant in the file.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(tenant_id.uuidString.lowercased(), forKey: .tenant_id)
            try container.encode(rows, forKey: .rows)
            try container.encode(digest, forKey: .digest)
        }
    }

    package fileprivate(set) var rows = 0
    fileprivate(set) var tenants: [OfTenant] = []
    /// SHA-256 of the file itself, in hexadecimal.
    fileprivate(set) var sha256 = ""

    static let columns = ["occurred_at", "billing_period", "tenant_id", "id", "application_id", "user_id", "kind", "connection"]

    /// The file is not valid: cut off, changed, or of another month.
    struct Damaged: Error {}

    /// Reads a whole file with little memory, and checks the month of each line.
    ///
    /// - Parameter take: receives the lines without the header, many at a time.
    static func read(_ file: URL, of month: Month, _ take: ([String]) async throws -> Void = { _ in }) async throws -> ArchiveContent {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let gunzip = Gunzip()
        var (reading, hash) = (ArchiveReading(month), SHA256())
        do {
            while let data = try handle.read(upToCount: 1 << 16), !data.isEmpty {
                hash.update(data: data)
                try await take(try reading.take(try gunzip.decompress(Array(data))))
                await Task.yield()
            }
        } catch is Gunzip.Damaged {
            throw Damaged()
        }
        guard gunzip.isOver else { throw Damaged() }
        var content = try reading.finish()
        content.sha256 = hash.finalize().hexadecimal
        return content
    }
}

/// Splits an archive's file into lines. Its pieces can end anywhere.
struct ArchiveReading {
    private let header = Array(ArchiveContent.columns.joined(separator: ",").utf8)
    private let period: [UInt8]
    private var content = ArchiveContent()
    private var isBehindHeader = false
    /// The start of an incomplete line.
    private var rest: [UInt8] = []
    private var tenant: [UInt8] = []
    private var rows = 0
    private var hash = SHA256()
    private var piece: [UInt8] = []

    init(_ month: Month) {
        period = Array(month.firstDay.description.utf8)
    }

    /// Adds the next piece of the file.
    /// - Returns: the lines that are complete now.
    /// - Throws: `ArchiveContent.Damaged`
    mutating func take(_ bytes: [UInt8]) throws(ArchiveContent.Damaged) -> [String] {
        rest += bytes
        var (begin, lines): (Int, [String]) = (0, [])
        while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[begin..<end]
            begin = end + 1
            guard isBehindHeader else {
                guard line.elementsEqual(header) else { throw ArchiveContent.Damaged() }
                isBehindHeader = true
                continue
            }
            try add(line)
            lines.append(String(decoding: line, as: UTF8.self))
        }
        rest.removeFirst(begin)
        return lines
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws(ArchiveContent.Damaged) {
        let fields = line.split(separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, fields[1].elementsEqual(period) else { throw ArchiveContent.Damaged() }
        if !fields[2].elementsEqual(tenant) {
            try finishTenant()
            tenant = Array(fields[2])
        }
        rows += 1
        piece += fields[0]
        piece.append(UInt8(ascii: "\t"))
        piece += fields[3].lazy.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: "\t") : $0 }
        piece.append(UInt8(ascii: "\n"))
        // Small pieces would cost more than their content.
        if piece.count >= 1 << 16 { digest() }
    }

    private mutating func digest() {
        hash.update(data: piece)
        piece.removeAll(keepingCapacity: true)
    }

    private mutating func finishTenant() throws(ArchiveContent.Damaged) {
        guard rows > 0 else { return }
        guard let id = UUID(uuidString: String(decoding: tenant, as: UTF8.self)) else { throw ArchiveContent.Damaged() }
        digest()
        content.tenants.append(.init(tenant_id: id, rows: rows, digest: hash.finalize().hexadecimal))
        content.rows += rows
        (rows, hash) = (0, SHA256())
    }

    mutating func finish() throws(ArchiveContent.Damaged) -> ArchiveContent {
        guard isBehindHeader, rest.isEmpty else { throw ArchiveContent.Damaged() }
        try finishTenant()
        return content
    }
}
