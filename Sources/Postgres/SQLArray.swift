extension Array: SQLValue where Element: SQLArrayElement {
    package static var sqlType: SQLType { Element.sqlTypeOfArray }

    package func encode(into bytes: inout [UInt8]) {
        Element.encodeArray(self, into: &bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        self = try Element.decodeArray(cell)
    }
}

/// `[UInt8]` is `bytea`.
extension UInt8: SQLArrayElement {
    package static var sqlTypeOfArray: SQLType { .bytea }

    package static func encodeArray(_ array: [UInt8], into bytes: inout [UInt8]) {
        bytes.append(contentsOf: array)
    }

    package static func decodeArray(_ cell: SQLCell) throws(SQLMismatch) -> [UInt8] {
        guard cell.isOf(.bytea) else { throw SQLMismatch() }
        return Array(cell.bytes)
    }
}

/// `[[UInt8]]` is `bytea[]`.
extension Array: SQLArrayElement where Element == UInt8 {}

/// PostgreSQL's `array_send`: dimensions, whether an element is NULL, and the element type; a length and a lower
/// bound for each dimension; then each element after its length in bytes.
///
/// Only arrays with one dimension and no NULL are supported. Other arrays have no counterpart in `[Element]` and are
/// a mismatch.
extension SQLArrayElement where Self: SQLValue {
    package static var sqlTypeOfArray: SQLType {
        SQLType(oid: sqlType.array, array: 0, name: sqlType.name + "[]")
    }

    package static func encodeArray(_ array: [Self], into bytes: inout [UInt8]) {
        append(array.isEmpty ? 0 : 1, to: &bytes)
        append(0, to: &bytes)
        append(Int32(bitPattern: sqlType.oid), to: &bytes)
        guard !array.isEmpty else { return }
        append(Int32(array.count), to: &bytes)
        append(1, to: &bytes)
        for element in array {
            let lengthAt = bytes.count
            append(0, to: &bytes)
            element.encode(into: &bytes)
            let length = Int32(bytes.count - lengthAt - 4)
            withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(lengthAt..<lengthAt + 4, with: $0) }
        }
    }

    package static func decodeArray(_ cell: SQLCell) throws(SQLMismatch) -> [Self] {
        let dimensions = try cell.load(Int32.self, at: 0)
        let type = try cell.load(UInt32.self, at: 8)
        // An empty array has no element whose type could differ, so its own type is checked.
        guard dimensions > 0 else {
            guard cell.type == sqlType.array else { throw SQLMismatch() }
            return []
        }
        guard dimensions == 1 else { throw SQLMismatch() }
        let count = Int(try cell.load(Int32.self, at: 12))
        guard count >= 0 else { throw SQLMismatch() }
        var array: [Self] = []
        array.reserveCapacity(min(count, cell.bytes.count / 4))
        var offset = 20
        for _ in 0..<count {
            let length = Int(try cell.load(Int32.self, at: offset))
            offset += 4
            guard length >= 0, cell.bytes.count - offset >= length else { throw SQLMismatch() }
            let bytes = UnsafeRawBufferPointer(rebasing: cell.bytes[offset..<offset + length])
            array.append(try Self(decoding: SQLCell(type: type, bytes: bytes)))
            offset += length
        }
        return array
    }

    private static func append(_ number: Int32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
