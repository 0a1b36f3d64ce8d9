// The binary format of the scalar values. The `*send` and `*recv` functions in PostgreSQL's src/backend/utils/adt
// define it.

package import Foundation

extension FixedWidthInteger {
    fileprivate func appendBigEndian(to bytes: inout [UInt8]) {
        Swift.withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Accepts an integer of any width if the value fits: `count(*)` is a bigint, `1` an integer.
    fileprivate init(anyWidth cell: SQLCell) throws(SQLMismatch) {
        let value: Int64
        switch cell.type {
        case SQLType.int2.oid: value = Int64(try cell.load(Int16.self))
        case SQLType.int4.oid: value = Int64(try cell.load(Int32.self))
        case SQLType.int8.oid: value = try cell.load(Int64.self)
        default: throw SQLMismatch()
        }
        guard let fitting = Self(exactly: value) else { throw SQLMismatch() }
        self = fitting
    }
}

extension Int16: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .int2 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package init(decoding cell: SQLCell) throws(SQLMismatch) { try self.init(anyWidth: cell) }
}

extension Int32: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .int4 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package init(decoding cell: SQLCell) throws(SQLMismatch) { try self.init(anyWidth: cell) }
}

extension Int64: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .int8 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package init(decoding cell: SQLCell) throws(SQLMismatch) { try self.init(anyWidth: cell) }
}

extension Int: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .int8 }
    package func encode(into bytes: inout [UInt8]) { Int64(self).appendBigEndian(to: &bytes) }
    package init(decoding cell: SQLCell) throws(SQLMismatch) { try self.init(anyWidth: cell) }
}

extension Bool: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .bool }
    package func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard cell.isOf(.bool) else { throw SQLMismatch() }
        self = try cell.load(UInt8.self) != 0
    }
}

extension Double: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .float8 }
    package func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        switch cell.type {
        case SQLType.float8.oid: self.init(bitPattern: try cell.load(UInt64.self))
        case SQLType.float4.oid: self.init(Float(bitPattern: try cell.load(UInt32.self)))
        default: throw SQLMismatch()
        }
    }
}

extension String: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .text }
    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard cell.isOf(.text, .varchar, .bpchar, .name) else { throw SQLMismatch() }
        self.init(decoding: cell.bytes, as: UTF8.self)
    }
}

extension UUID: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .uuid }

    package func encode(into bytes: inout [UInt8]) {
        Swift.withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) }
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard cell.isOf(.uuid), cell.bytes.count == 16 else { throw SQLMismatch() }
        self.init(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
    }
}

/// `timestamp with time zone`, to the microsecond. `infinity` has no `Date` and is a mismatch.
extension Date: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .timestamptz }

    /// From 2000-01-01, PostgreSQL's epoch, to 2001-01-01, the epoch of `Date`.
    private static let microsecondsBetweenEpochs: Int64 = 366 * 86_400 * 1_000_000

    package func encode(into bytes: inout [UInt8]) {
        let sinceReference = (timeIntervalSinceReferenceDate * 1_000_000).rounded()
        // A time that no timestamp can represent becomes one of PostgreSQL's infinities, its largest and smallest
        // numbers.
        let (microseconds, overflow) = (Int64(exactly: sinceReference) ?? (sinceReference < 0 ? .min : .max))
            .addingReportingOverflow(Self.microsecondsBetweenEpochs)
        (overflow ? .max : microseconds).appendBigEndian(to: &bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard cell.isOf(.timestamptz) else { throw SQLMismatch() }
        let microseconds = try cell.load(Int64.self)
        let (sinceReference, overflow) = microseconds.subtractingReportingOverflow(Self.microsecondsBetweenEpochs)
        guard microseconds != .max, microseconds != .min, !overflow else { throw SQLMismatch() }
        self.init(timeIntervalSinceReferenceDate: Double(sinceReference) / 1_000_000)
    }
}
