/// A Swift value with a PostgreSQL type. The binary format is used in both directions.
///
/// An enum with raw values, and any other `RawRepresentable` of a `SQLValue`, only has to declare the conformance. A
/// wrapper forwards:
/// ```swift
/// extension ID: SQLValue {
///     static var sqlType: SQLType { UUID.sqlType }
///     func encode(into bytes: inout [UInt8]) { uuid.encode(into: &bytes) }
///     init(decoding cell: SQLCell) throws(SQLMismatch) { self.init(uuid: try UUID(decoding: cell)) }
/// }
/// extension ID: SQLArrayElement {}
/// ```
package protocol SQLValue: Sendable {
    /// The type that a value is sent as.
    static var sqlType: SQLType { get }
    /// Appends the value in PostgreSQL's binary format.
    func encode(into bytes: inout [UInt8])
    /// Reads the output of `encode`, and other types that convert without loss.
    init(decoding cell: SQLCell) throws(SQLMismatch)
}

/// A value that also has an array type: `[String]` is `text[]`.
///
/// The requirements have defaults for every `SQLValue` whose type has an array type. Only bytes differ, because
/// `[UInt8]` is `bytea` and not an array.
package protocol SQLArrayElement: Sendable {
    static var sqlTypeOfArray: SQLType { get }
    static func encodeArray(_ array: [Self], into bytes: inout [UInt8])
    static func decodeArray(_ cell: SQLCell) throws(SQLMismatch) -> [Self]
}

/// A type in PostgreSQL's catalog. The numbers of the built-in types are the same in every database.
package struct SQLType: Hashable, Sendable {
    package var oid: UInt32
    /// The array type; 0 for none.
    package var array: UInt32
    package var name: String

    package init(oid: UInt32, array: UInt32, name: String) {
        (self.oid, self.array, self.name) = (oid, array, name)
    }

    package static let bool = SQLType(oid: 16, array: 1000, name: "boolean")
    package static let bytea = SQLType(oid: 17, array: 1001, name: "bytea")
    package static let name = SQLType(oid: 19, array: 1003, name: "name")
    package static let int8 = SQLType(oid: 20, array: 1016, name: "bigint")
    package static let int2 = SQLType(oid: 21, array: 1005, name: "smallint")
    package static let int4 = SQLType(oid: 23, array: 1007, name: "integer")
    package static let text = SQLType(oid: 25, array: 1009, name: "text")
    package static let json = SQLType(oid: 114, array: 199, name: "json")
    package static let float4 = SQLType(oid: 700, array: 1021, name: "real")
    package static let float8 = SQLType(oid: 701, array: 1022, name: "double precision")
    package static let bpchar = SQLType(oid: 1042, array: 1014, name: "character")
    package static let varchar = SQLType(oid: 1043, array: 1015, name: "character varying")
    package static let date = SQLType(oid: 1082, array: 1182, name: "date")
    package static let timestamptz = SQLType(oid: 1184, array: 1185, name: "timestamp with time zone")
    package static let uuid = SQLType(oid: 2950, array: 2951, name: "uuid")
    package static let jsonb = SQLType(oid: 3802, array: 3807, name: "jsonb")
}

/// The bytes of one value in a result, and their type. Valid only during decoding.
package struct SQLCell {
    package var type: UInt32
    package var bytes: UnsafeRawBufferPointer

    package func isOf(_ types: SQLType...) -> Bool {
        types.contains { $0.oid == type }
    }

    /// The bytes as a big-endian integer.
    package func load<Value: FixedWidthInteger>(_: Value.Type, at offset: Int = 0) throws(SQLMismatch) -> Value {
        guard offset >= 0, bytes.count - offset >= MemoryLayout<Value>.size else { throw SQLMismatch() }
        return Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}

/// A cell does not contain a value of the requested type. `Row` adds the column. The value is never included.
package struct SQLMismatch: Error {
    package init() {}
}

extension SQLValue where Self: RawRepresentable, RawValue: SQLValue {
    package static var sqlType: SQLType { RawValue.sqlType }

    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard let value = Self(rawValue: try RawValue(decoding: cell)) else { throw SQLMismatch() }
        self = value
    }
}
