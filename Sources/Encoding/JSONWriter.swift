import Foundation

/// Writes JSON with members in the order in which a value encodes them. For a struct, this is the order of its properties.
///
/// All responses use it, so the members of a response always have the order of `openapi.yaml`. `JSONEncoder` collects members in a
/// dictionary, and their order changes from one request to the next. This encoder writes bytes immediately. A dictionary has no
/// order, so its members are sorted by name.
///
/// Dates are RFC 3339 in UTC with whole seconds. `Data` is base64, and a `URL` is a string. Slashes are not escaped.
package enum JSONWriter {
    /// - Returns: UTF-8.
    /// - Throws: `EncodingError` for a number that is not finite, and the errors of the value itself.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput()
        try output.write(value)
        return output.bytes
    }
}

/// The bytes of a document, and the containers without their closing bracket.
private final class JSONOutput {
    private(set) var bytes: [UInt8] = []
    private var open: [(end: UInt8, isEmpty: Bool, number: Int)] = []
    private var opened = 0

    /// A container, identified by its depth. The number distinguishes it from an earlier container at the same depth.
    struct Place {
        let depth: Int
        let number: Int
    }

    init() {
        bytes.reserveCapacity(512)
    }

    var depth: Int { open.count }

    /// Writes any value, with all of its containers closed.
    func write<Value: Encodable>(_ value: Value) throws {
        // Types are compared before a conformance is looked up, because most values are strings.
        if Value.self == String.self, let text = value as? String { return append(string: text) }
        if let value = value as? any JSONScalar { return try value.write(to: self) }
        let (depth, start) = (depth, bytes.count)
        try value.encode(to: JSONValueEncoder(output: self, depth: depth))
        close(to: depth)
        if bytes.count == start { append("{}") }
    }

    func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a string. Every byte that JSON escapes is ASCII, and no other scalar contains such a byte in UTF-8.
    func append(string text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in 0..<utf8.count {
                let byte = utf8[index]
                if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                append(escaped: byte)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        default:
            append(#"\u00"#)
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 0x0F)])
        }
    }

    // MARK: Containers

    /// Opens a container, or returns to the container that the same value opened before. A value may encode its parts one after the
    /// other.
    func container(_ begin: Character, _ end: Character, at depth: Int) -> Place {
        close(to: depth + 1)
        if open.count == depth {
            opened += 1
            open.append((end.asciiValue!, true, opened))
            bytes.append(begin.asciiValue!)
        }
        precondition(open[depth].end == end.asciiValue!, "A value encodes an object and an array at the same place.")
        return Place(depth: depth, number: open[depth].number)
    }

    /// Prepares the next member or element of a container.
    func next(in place: Place) {
        precondition(
            open.count > place.depth && open[place.depth].number == place.number,
            "A container was written to after the container around it.")
        close(to: place.depth + 1)
        if open[place.depth].isEmpty { open[place.depth].isEmpty = false } else { bytes.append(UInt8(ascii: ",")) }
    }

    func next(in place: Place, key: String) {
        next(in: place)
        append(key: key)
    }

    func append(key: String) {
        append(string: key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Closes the containers inside this depth.
    func close(to depth: Int) {
        while open.count > depth { bytes.append(open.removeLast().end) }
    }
}

// MARK: The encoder and its containers

/// The encoder of one value. `depth` is the depth of the container that the value opens, if it opens one.
private struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
    let output: JSONOutput
    let depth: Int

    // No path, because it would cost more than the encoding and is not useful: encoding our values does not fail.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members(output: output, place: output.container("{", "}", at: depth)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(output: output, place: output.container("[", "]", at: depth))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { output.append("null") }
    func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let place: JSONOutput.Place

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        output.next(in: place, key: key.stringValue)
        output.append("null")
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        output.next(in: place, key: key.stringValue)
        try output.write(value)
    }

    func nestedContainer<Inner: CodingKey>(keyedBy _: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        encoder(forKey: key.stringValue).container(keyedBy: Inner.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(forKey: key.stringValue).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder(forKey: "super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(forKey: key.stringValue) }

    private func encoder(forKey key: String) -> JSONValueEncoder {
        output.next(in: place, key: key)
        return JSONValueEncoder(output: output, depth: place.depth + 1)
    }
}

private struct Elements: UnkeyedEncodingContainer {
    let output: JSONOutput
    let place: JSONOutput.Place
    private(set) var count = 0

    init(output: JSONOutput, place: JSONOutput.Place) {
        (self.output, self.place) = (output, place)
    }

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() {
        next()
        output.append("null")
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        next()
        try output.write(value)
    }

    mutating func nestedContainer<Inner: CodingKey>(keyedBy _: Inner.Type) -> KeyedEncodingContainer<Inner> {
        encoder().container(keyedBy: Inner.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder() }

    private mutating func encoder() -> JSONValueEncoder {
        next()
        return JSONValueEncoder(output: output, depth: place.depth + 1)
    }

    private mutating func next() {
        output.next(in: place)
        count += 1
    }
}

// MARK: Values without containers

/// A value that writes itself, without an encoder.
private protocol JSONScalar {
    func write(to output: JSONOutput) throws
}

extension JSONScalar where Self: BinaryInteger {
    func write(to output: JSONOutput) { output.append(String(self)) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension Bool: JSONScalar {
    fileprivate func write(to output: JSONOutput) { output.append(self ? "true" : "false") }
}

extension String: JSONScalar {
    fileprivate func write(to output: JSONOutput) { output.append(string: self) }
}

extension JSONScalar where Self: BinaryFloatingPoint & Encodable & CustomStringConvertible {
    func write(to output: JSONOutput) throws {
        guard isFinite else { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "JSON has no \(self).")) }
        let text = description
        output.append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}

extension Date: JSONScalar {
    fileprivate func write(to output: JSONOutput) { output.append(string: RFC3339.text(self)) }
}

extension Data: JSONScalar {
    fileprivate func write(to output: JSONOutput) { output.append(string: base64EncodedString()) }
}

extension URL: JSONScalar {
    fileprivate func write(to output: JSONOutput) { output.append(string: absoluteString) }
}

extension Dictionary: JSONScalar where Key == String, Value: Encodable {
    fileprivate func write(to output: JSONOutput) throws {
        output.append("{")
        for (index, member) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }).enumerated() {
            if index > 0 { output.append(",") }
            output.append(key: member.key)
            try output.write(member.value)
        }
        output.append("}")
    }
}
