import Foundation
import Postgres

/// One row of a ledger's page, read in place: a tuple of `COPY … (FORMAT binary)` (PostgreSQL's manual, "COPY", "Binary Format") with the
/// columns that `Ledger` selects.
package struct LedgerRow {
    /// The first byte of the tuple.
    let start: UnsafeRawPointer

    /// The usual size in bytes. No accepted row is longer than twice this.
    static let size = 128
    private static let columns: Int16 = 8
    /// The offsets of the columns with a fixed size. Each is preceded by its length.
    private static let fixed: [(offset: Int, length: Int32)] = [(2, 16), (22, 4), (30, 8), (42, 16), (62, 16), (82, 16)]
    private static let kindOffset = 102
    private static let longestText = 64
    /// The years 2000 to 9999: the ledger holds only these, and a date of ten characters can express only these.
    private static let days: Range<Int32> = 0..<2_921_940
    private static let micros: Range<Int64> = 0..<Int64(days.upperBound) * 86_400_000_000
    private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

    struct Malformed: Error {}

    package var tenant: UnsafeRawPointer { start + 6 }
    /// Days since 2000-01-01.
    package var period: Int32 { load(26) }
    /// Microseconds since 2000-01-01.
    package var time: Int64 { load(34) }
    package var id: UnsafeRawPointer { start + 46 }
    package var application: UnsafeRawPointer { start + 66 }
    package var user: UnsafeRawPointer { start + 86 }
    package var kind: UnsafeRawBufferPointer { text(Self.kindOffset) }
    package var connection: UnsafeRawBufferPointer { text(Self.kindOffset + 4 + kind.count) }

    private var end: UnsafeRawPointer {
        let connection = connection
        return connection.baseAddress! + connection.count
    }

    private func load<Number: FixedWidthInteger>(_ offset: Int) -> Number {
        Number(bigEndian: (start + offset).loadUnaligned(as: Number.self))
    }

    private func text(_ offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + offset + 4, count: Int(load(offset) as Int32))
    }

    /// Compares by tenant, time and ID, as PostgreSQL does.
    private func isBefore(_ row: LedgerRow) -> Bool {
        let order = memcmp(tenant, row.tenant, 16)
        if order != 0 { return order < 0 }
        return time == row.time ? memcmp(id, row.id, 16) < 0 : time < row.time
    }

    /// Reads the rows of a page in order.
    /// - Parameters:
    /// - offset: the start, 0 at first. Afterwards, the place where the body stopped.
    /// - body: returns whether it wants another row.
    /// - Throws: `Malformed` if the bytes are not a page.
    package static func walk(_ page: UnsafeRawBufferPointer, from offset: inout Int, _ body: (LedgerRow) throws -> Bool) throws {
        guard page.count >= 21, let base = page.baseAddress, page.prefix(signature.count).elementsEqual(signature) else {
            throw Malformed()
        }
        if offset == 0 { offset = 19 }
        while true {
            guard offset + 2 <= page.count else { throw Malformed() }
            let row = LedgerRow(start: base + offset)
            let count: Int16 = row.load(0)
            if count == -1 { return }
            // At least the end mark follows the longest row.
            guard count == columns, offset + kindOffset + 4 <= page.count, fixed.allSatisfy({ row.load($0.offset) == $0.length }),
                days.contains(row.period), micros.contains(row.time)
            else { throw Malformed() }
            var end = kindOffset
            for _ in 1...2 {
                guard offset + end + 4 <= page.count, case let length = row.load(end) as Int32, (0...Int32(longestText)).contains(length),
                    offset + end + 4 + Int(length) <= page.count
                else { throw Malformed() }
                end += 4 + Int(length)
            }
            guard try body(row) else { return }
            offset += end
        }
    }

    /// The number of rows of a page, and the last row.
    /// - Throws: `Malformed`, also for rows in another order than the file's. Otherwise rows would be missing or duplicated.
    static func summary(of page: [UInt8]) throws -> (rows: Int, last: LedgerPages.Position?) {
        var (rows, offset) = (0, 0)
        return try page.withUnsafeBytes { page in
            var last: LedgerRow?
            try walk(page, from: &offset) { row in
                if let last { guard last.isBefore(row) else { throw Malformed() } }
                rows += 1
                last = row
                return true
            }
            return (rows, last.map(LedgerPages.Position.init))
        }
    }
}

extension LedgerPages.Position {
    fileprivate init(_ row: LedgerRow) {
        self.init(
            period: Month(Day(number: Int(row.period) + Day.postgresEpoch).start),
            tenant: UUID(uuid: row.tenant.loadUnaligned(as: uuid_t.self)),
            // Converts like `Date` everywhere else: to the microsecond and back.
            time: Date(timeIntervalSinceReferenceDate: (Double(row.time) - 366 * 86_400 * 1_000_000) / 1_000_000),
            id: UUID(uuid: row.id.loadUnaligned(as: uuid_t.self)))
    }
}
