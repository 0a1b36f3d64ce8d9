import Foundation
import Postgres

/// One row of a ledger's page, where it lies: what `COPY … (FORMAT binary)` writes of a tuple (PostgreSQL's manual, "COPY", "Binary
/// Format"), with the columns that `Ledger` asks for.
package struct LedgerRow {
    /// The first byte of the tuple.
    let start: UnsafeRawPointer

    /// Bytes of a usual one, and none that we take is longer than twice that.
    static let size = 128
    private static let columns: Int16 = 8
    /// Where the columns of fixed size lie, each behind its length.
    private static let fixed: [(offset: Int, length: Int32)] = [(2, 16), (22, 4), (30, 8), (42, 16), (62, 16), (82, 16)]
    private static let kindOffset = 102
    private static let longestText = 64
    /// Of the years 2000 to 9999, which is all that the ledger holds and a date of ten characters can tell.
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

    /// By tenant, time and id, as PostgreSQL compares them.
    private func isBefore(_ row: LedgerRow) -> Bool {
        let order = memcmp(tenant, row.tenant, 16)
        if order != 0 { return order < 0 }
        return time == row.time ? memcmp(id, row.id, 16) < 0 : time < row.time
    }

    /// Walks over the rows of a page.
    /// - Parameters:
    ///   - offset: where to begin, from 0; afterwards, where the body stopped.
    ///   - body: answers whether it wants more.
    /// - Throws: `Malformed` for what no page is made of.
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
            // Behind the longest row there is the end's mark at least.
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

    /// How many rows a page has, and behind which the next begins.
    /// - Throws: `Malformed`, also for rows in another order than the file's: what follows them would be left out, or told twice.
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
            // As `Date` is read and written everywhere: to the microsecond and back.
            time: Date(timeIntervalSinceReferenceDate: (Double(row.time) - 366 * 86_400 * 1_000_000) / 1_000_000),
            id: UUID(uuid: row.id.loadUnaligned(as: uuid_t.self)))
    }
}
