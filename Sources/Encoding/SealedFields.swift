package import Foundation

/// Writes values into a byte string that we seal into URLs: short, and cheap to read.
///
/// `FieldReader` reads the values in the same order.
package struct FieldWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ uuid: UUID) {
        withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    }

    /// To the microsecond, as in the database, within the years 1 to 9999. An invalid time from outside must not crash the
    /// process.
    package mutating func write(_ date: Date) {
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        withUnsafeBytes(of: Int64((seconds * 1_000_000).rounded()).bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ field: [UInt8]) {
        withUnsafeBytes(of: UInt16(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }

    package mutating func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// A nil text is written as an empty text.
    package mutating func write(_ text: String?) {
        write(text ?? "")
    }
}

package struct FieldReader {
    package struct Truncated: Error {}

    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Whether nothing is left. A field that was added in a later version is missing in an older value.
    package var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw Truncated() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func integer<T: FixedWidthInteger>(_: T.Type) throws(Truncated) -> T {
        try take(MemoryLayout<T>.size).reduce(0) { $0 << 8 | T($1) }
    }

    package mutating func uuid() throws(Truncated) -> UUID {
        let bytes = try take(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    package mutating func date() throws(Truncated) -> Date {
        Date(timeIntervalSince1970: TimeInterval(try integer(Int64.self)) / 1_000_000)
    }

    package mutating func bytes() throws(Truncated) -> [UInt8] {
        Array(try take(Int(try integer(UInt16.self))))
    }

    package mutating func string() throws(Truncated) -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    package mutating func optionalString() throws(Truncated) -> String? {
        let text = try string()
        return text.isEmpty ? nil : text
    }
}
