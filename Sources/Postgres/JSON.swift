/// Unparsed JSON for `jsonb` and `json` columns. The user decodes it with any decoder.
///
/// This is not `JSONValue` of `Encoding`: it binds and reads the bytes of a column, and PostgreSQL parses them.
package struct JSON: Hashable, Sendable {
    /// UTF-8.
    package var bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension JSON: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .jsonb }

    /// `jsonb` begins with the version of its wire format, which has been 1 since PostgreSQL 9.4.
    private static let version: UInt8 = 1

    package func encode(into bytes: inout [UInt8]) {
        bytes.append(Self.version)
        bytes.append(contentsOf: self.bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        switch cell.type {
        case SQLType.json.oid:
            self.init(bytes: Array(cell.bytes))
        case SQLType.jsonb.oid where cell.bytes.first == Self.version:
            self.init(bytes: Array(cell.bytes.dropFirst()))
        default:
            throw SQLMismatch()
        }
    }
}
