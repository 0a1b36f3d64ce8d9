/// A statement with separate values: `"SELECT name FROM tenant WHERE id = \(id)"` is the text `SELECT name FROM
/// tenant WHERE id = $1` and one bound value.
///
/// No interpolated value ever becomes SQL text, so nothing needs escaping and nothing can be injected. A value is
/// encoded when it is interpolated. Its type is sent with it, so PostgreSQL never guesses it. Write `$1::inet`
/// (`\(text)::inet`) if the column's type has no Swift counterpart.
package struct SQL: Sendable {
    /// The text in UTF-8, with `$1`, `$2` … instead of the values.
    private(set) var utf8: [UInt8] = []
    /// The types of the values.
    private(set) var types: [UInt32] = []
    /// The position of each value in the text and in `bytes`.
    private var places: [Place] = []
    /// All encoded values, one after the other. This needs one allocation per statement instead of one per value.
    @usableFromInline private(set) var bytes: [UInt8] = []

    private struct Place: Sendable {
        /// Where its `$n` begins in the text.
        var text: Int
        var start: Int
        /// Nil is NULL.
        var length: Int32?
    }

    /// The text with `$1`, `$2` … instead of the values.
    package var text: String { String(decoding: utf8, as: UTF8.self) }

    fileprivate init() {}

    /// Trusted text that cannot be a literal: DDL with a computed name, or a migration.
    ///
    /// The caller is responsible for every character. Never pass text from a network connection.
    package init(unsafe text: String) {
        append(text)
    }

    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8.append(contentsOf: $0) }
    }

    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { utf8.append(contentsOf: $0) }
    }

    fileprivate mutating func reserveCapacity(text: Int, values: Int) {
        utf8.reserveCapacity(text)
        types.reserveCapacity(values)
        places.reserveCapacity(values)
        bytes.reserveCapacity(24 * values)
    }

    /// Adds a value that `encode` appends to `bytes`.
    // Not generic. A generic function of another module looks up the metadata of its types at each call.
    @usableFromInline mutating func bind(_ type: UInt32, _ encode: (inout [UInt8]) -> Void) {
        let start = bytes.count
        encode(&bytes)
        bind(type, start: start, length: Int32(bytes.count - start))
    }

    @usableFromInline mutating func bindNull(_ type: UInt32) {
        bind(type, start: bytes.count, length: nil)
    }

    private mutating func bind(_ type: UInt32, start: Int, length: Int32?) {
        types.append(type)
        places.append(Place(text: utf8.count, start: start, length: length))
        utf8.append(UInt8(ascii: "$"))
        let number = types.count
        if number < 10 { utf8.append(UInt8(ascii: "0") + UInt8(number)) } else { append(String(number)) }
    }

    /// Appends another statement's text and its values. Its parameters get the numbers that follow.
    fileprivate mutating func append(_ part: SQL) {
        let base = bytes.count
        var copied = 0
        for (index, place) in part.places.enumerated() {
            utf8 += part.utf8[copied..<place.text]
            copied = place.text + 1 + String(index + 1).utf8.count
            bind(part.types[index], start: base + place.start, length: place.length)
        }
        utf8 += part.utf8[copied...]
        bytes += part.bytes
    }
}

extension SQL: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(unsafe: text)
    }
}

extension SQL: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var sql = SQL()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(text: literalCapacity + 3 * interpolationCount, values: interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql.append(literal)
        }

        /// Binds a value.
        @inlinable package mutating func appendInterpolation<Value: SQLValue>(_ value: Value) {
            sql.bind(Value.sqlType.oid) { value.encode(into: &$0) }
        }

        /// Appends a name from the source, such as a table's name. Only a literal in the source is a `StaticString`.
        package mutating func appendInterpolation(literally name: StaticString) {
            sql.append(name)
        }

        /// Appends a part of a statement, such as a condition on a table that another target owns.
        package mutating func appendInterpolation(part: SQL) {
            sql.append(part)
        }

        /// Binds a value, or NULL of the value's type.
        @inlinable package mutating func appendInterpolation<Value: SQLValue>(_ value: Value?) {
            guard let value else { return sql.bindNull(Value.sqlType.oid) }
            appendInterpolation(value)
        }
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.sql
    }
}

extension SQL: CustomStringConvertible {
    /// The text without its values, so that a statement may be logged.
    package var description: String { text }
}

extension SQL {
    /// The values in libpq's form: addresses (nil for NULL), lengths, and formats (all binary).
    func withParameters<Result>(
        _ body: (
            _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>, _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
        ) -> Result
    ) -> Result {
        let count = places.count
        // One element more than needed, because an empty value at the end needs a non-null address. A null address would
        // mean NULL.
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count + 1) { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count + 1) { numbers in
                bytes.withUnsafeBytes { bytes in
                    let start = bytes.baseAddress ?? UnsafeRawPointer(numbers.baseAddress!)
                    for (index, place) in places.enumerated() {
                        let address = (start + place.start).assumingMemoryBound(to: CChar.self)
                        values.initializeElement(at: index, to: place.length == nil ? nil : address)
                        numbers.initializeElement(at: index, to: place.length ?? 0)
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    let lengths = UnsafePointer(numbers.baseAddress!)
                    return body(Int32(count), UnsafePointer(values.baseAddress!), lengths, lengths + count)
                }
            }
        }
    }
}
