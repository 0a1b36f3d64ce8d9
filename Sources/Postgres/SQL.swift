/// A statement with separate values: `"SELECT name FROM tenant WHERE id = \(id)"` is the text `SELECT name FROM
/// tenant WHERE id = $1` and one bound value.
///
/// No interpolated value ever becomes SQL text, so nothing needs escaping and nothing can be injected. A value is
/// encoded when it is interpolated. Its type is sent with it, so PostgreSQL never guesses it. Write `$1::inet`
/// (`\(text)::inet`) if the column's type has no Swift counterpart.
package struct SQL: Sendable {
    /// The text with `$1`, `$2` … instead of the values.
    package private(set) var text: String
    /// The position of each value in `bytes`, and its type.
    private(set) var parameters: [Parameter] = []
    /// All encoded values, one after the other. This needs one allocation per statement instead of one per value.
    private(set) var bytes: [UInt8] = []

    struct Parameter: Sendable {
        var type: UInt32
        /// Where its `$n` begins in the text, in bytes of UTF-8.
        var place: Int
        var start: Int
        /// Nil is NULL.
        var length: Int32?
    }

    /// Trusted text that cannot be a literal: DDL with a computed name, or a migration.
    ///
    /// The caller is responsible for every character. Never pass text from a network connection.
    package init(unsafe text: String) {
        self.text = text
    }

    fileprivate mutating func bind<Value: SQLValue>(_ value: Value?) {
        let start = bytes.count
        value?.encode(into: &bytes)
        let length = value == nil ? nil : Int32(bytes.count - start)
        parameters.append(Parameter(type: Value.sqlType.oid, place: text.utf8.count, start: start, length: length))
        text += "$"
        text += String(parameters.count)
    }

    /// Appends another statement's text and its values. Its parameters get the numbers that follow.
    fileprivate mutating func append(_ part: SQL) {
        let utf8 = part.text.utf8
        var copied = utf8.startIndex
        let base = bytes.count
        for (number, parameter) in part.parameters.enumerated() {
            let place = utf8.index(utf8.startIndex, offsetBy: parameter.place)
            text += part.text[copied..<place]
            copied = utf8.index(place, offsetBy: 1 + String(number + 1).utf8.count)
            parameters.append(
                Parameter(type: parameter.type, place: text.utf8.count, start: base + parameter.start, length: parameter.length))
            text += "$"
            text += String(parameters.count)
        }
        text += part.text[copied...]
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
        fileprivate var sql = SQL(unsafe: "")

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + 3 * interpolationCount)
            sql.parameters.reserveCapacity(interpolationCount)
            sql.bytes.reserveCapacity(24 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql.text += literal
        }

        /// Binds a value.
        package mutating func appendInterpolation(_ value: some SQLValue) {
            sql.bind(value)
        }

        /// Appends a name from the source, such as a table's name. Only a literal in the source is a `StaticString`.
        package mutating func appendInterpolation(literally name: StaticString) {
            name.withUTF8Buffer { sql.text += String(decoding: $0, as: UTF8.self) }
        }

        /// Appends a part of a statement, such as a condition on a table that another target owns.
        package mutating func appendInterpolation(part: SQL) {
            sql.append(part)
        }

        /// Binds a value, or NULL of the value's type.
        package mutating func appendInterpolation(_ value: (some SQLValue)?) {
            sql.bind(value)
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
        let count = parameters.count
        // One element more than needed, because an empty value at the end needs a non-null address. A null address would
        // mean NULL.
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count + 1) { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count + 1) { numbers in
                bytes.withUnsafeBytes { bytes in
                    let start = bytes.baseAddress ?? UnsafeRawPointer(numbers.baseAddress!)
                    for (index, parameter) in parameters.enumerated() {
                        let address = (start + parameter.start).assumingMemoryBound(to: CChar.self)
                        values.initializeElement(at: index, to: parameter.length == nil ? nil : address)
                        numbers.initializeElement(at: index, to: parameter.length ?? 0)
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    let lengths = UnsafePointer(numbers.baseAddress!)
                    return body(Int32(count), UnsafePointer(values.baseAddress!), lengths, lengths + count)
                }
            }
        }
    }
}
