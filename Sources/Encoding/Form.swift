/// The parameters of a query or of an `application/x-www-form-urlencoded` body, as defined in OAuth.
///
/// An empty parameter counts as absent, and a repeated one is an error (RFC 6749, section 3.1).
package struct Form: Sendable {
    package enum Refusal: Error {
        /// The parameter that occurs more than once.
        case repeated(String)
        /// A `%` without two hexadecimal digits after it, or bytes that are not UTF-8.
        case malformed
        case tooManyFields
        /// A body that ended too early or is not valid HTTP.
        case unreadable
    }

    /// A list instead of a dictionary. A dictionary treats two spellings of one name as equal, so a Kelvin sign is a
    /// K.
    private var fields: [(name: String, value: String)] = []

    // Bytes in an array instead of generic collections, because every login parses three forms.
    /// - Parameter repeatable: The parameters that may occur several times. `values` reads them.
    package init(_ encoded: String, repeatable: Set<String> = []) throws(Refusal) {
        var rest = Array(encoded.utf8)[...]
        while !rest.isEmpty {
            let end = rest.position(of: UInt8(ascii: "&")) ?? rest.endIndex
            let pair = rest[..<end]
            rest = rest[end...].dropFirst()
            if pair.isEmpty { continue }
            guard fields.count < 64 else { throw .tooManyFields }
            let split = pair.position(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try Self.decode(pair[..<split])
            let value = try Self.decode(pair[split...].dropFirst())
            let isRepeated = fields.contains { $0.name.isSame(as: name) }
            guard !isRepeated || repeatable.contains(where: { $0.isSame(as: name) }) else { throw .repeated(name) }
            fields.append((name, value))
        }
    }

    /// The names of the parameters, in their order.
    package var names: some Collection<String> { fields.map(\.name) }

    /// The value, or nil if it is absent or empty. For a repeated parameter, the last value.
    package subscript(_ name: String) -> String? {
        guard let value = fields.last(where: { $0.name.isSame(as: name) })?.value, !value.isEmpty else { return nil }
        return value
    }

    /// All values of a parameter that may be repeated, without the empty ones.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isSame(as: name) && !$0.value.isEmpty }.map(\.value)
    }

    private static func decode(_ encoded: ArraySlice<UInt8>) throws(Refusal) -> String {
        // Most values are tokens and IDs, which stand for themselves.
        guard encoded.position(of: UInt8(ascii: "%")) != nil || encoded.position(of: UInt8(ascii: "+")) != nil else {
            // A validation takes many times as long as a copy.
            if encoded.isASCII { return String(decoding: encoded, as: UTF8.self) }
            guard let text = encoded.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) else { throw .malformed }
            return text
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { throw .malformed }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        if bytes.isASCII { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Decodes one form-encoded value; nil if it is malformed.
    package static func decode(_ encoded: String) -> String? {
        try? decode(Array(encoded.utf8)[...])
    }
}

// MARK: Encoding

extension Form {
    /// Percent-encodes everything except RFC 3986's unreserved characters, for a query or a form. A space becomes `%20`, which both
    /// permit.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes names and values for a query or a form. A field with a nil value is left out.
    package static func encode(_ fields: KeyValuePairs<String, String?>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) + 16 })
        for (name, value) in fields {
            guard let value else { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            append(name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Percent-encodes one byte of any value.
    package static func encode(byte: UInt8) -> String {
        var bytes: [UInt8] = []
        append(byte, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { utf8 in
            // Pointers instead of arrays, because each byte of a redirect is tested.
            unreserved.withUnsafeBufferPointer { unreserved in
                var (start, end) = (0, 0)
                while end < utf8.count {
                    if !unreserved[Int(utf8[end])] {
                        bytes.append(contentsOf: utf8[start..<end])
                        append(utf8[end], to: &bytes)
                        start = end + 1
                    }
                    end += 1
                }
                bytes.append(contentsOf: utf8[start...])
            }
        }
    }

    /// Whether a byte stands for itself (RFC 3986, section 2.3).
    private static let unreserved: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8 { table[Int(byte)] = true }
        return table
    }()

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexDigits[Int(byte >> 4)])
        bytes.append(hexDigits[Int(byte & 15)])
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
