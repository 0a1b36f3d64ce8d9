/// Writes JSON with members in the order in which a value encodes them. For a struct, this is the order of its properties.
///
/// All responses use it, so the members of a response always have the order of `openapi.yaml`. `JSONEncoder` collects members in a
/// dictionary, and their order changes from one request to the next. This encoder writes bytes immediately. A dictionary has no
/// order, so its members are sorted by name.
///
/// Dates are RFC 3339 in UTC with whole seconds. `Data` is base64, and a `URL` is a string. Slashes are not escaped.
///
/// A `JSONWritable` value writes itself. Any other value uses the containers of an encoder, which cost several times as much.
package enum JSONWriter {
    /// - Returns: UTF-8.
    /// - Throws: `EncodingError` for a number that is not finite, and the errors of the value itself.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput()
        try output.write(value)
        return output.text.bytes
    }

    /// The same without an encoder.
    package static func encode(_ value: some JSONWritable) throws -> [UInt8] {
        var text = JSONText()
        try value.write(to: &text)
        return text.bytes
    }

    /// Writes an object with the members that the body writes.
    /// - Returns: UTF-8.
    package static func object(_ body: (inout JSONText) -> Void) -> [UInt8] {
        var text = JSONText()
        text.object(body)
        return text.bytes
    }
}

/// The encoder of one value. `depth` is the depth of the container that the value opens, if it opens one.
struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
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

    func encodeNil() { output.text.append("null") }
    func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let place: JSONOutput.Place

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        output.next(in: place, key: key.stringValue)
        output.text.append("null")
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        output.next(in: place, key: key.stringValue)
        try output.write(value)
    }

    // Without these, the most frequent types would also be found by a look-up of their conformance.
    func encode(_ value: String, forKey key: Key) {
        output.next(in: place, key: key.stringValue)
        value.write(to: &output.text)
    }

    func encode(_ value: Int, forKey key: Key) {
        output.next(in: place, key: key.stringValue)
        value.write(to: &output.text)
    }

    func encode(_ value: Bool, forKey key: Key) {
        output.next(in: place, key: key.stringValue)
        value.write(to: &output.text)
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
        output.text.append("null")
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
