/// The fields of a query or of an `application/x-www-form-urlencoded` body, in their order.
struct Form: Sendable {
    private(set) var fields: [(name: String, value: String)]

    enum Malformed: Error {
        /// A malformed percent escape, or bytes that are not UTF-8.
        case encoding
        /// A parameter that occurs twice, which OAuth forbids (RFC 6749, section 3.1).
        case repeated(name: String)
    }

    init(fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    init(_ encoded: some StringProtocol) throws(Malformed) {
        fields = []
        // By byte, because U+0600 before a separator makes one `Character` that is not a separator.
        var seen: Set<[UInt8]> = []
        for pair in Array(encoded.utf8).split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = parts.count == 2 ? Self.decode(parts[1]) : "" else { throw .encoding }
            guard seen.insert(Array(name.utf8)).inserted else { throw .repeated(name: name) }
            fields.append((name, value))
        }
    }

    /// The value of a field; nil if it is absent or empty, which is the same in OAuth.
    subscript(name: String) -> String? {
        guard let value = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.value, !value.isEmpty else { return nil }
        return value
    }

    /// The fields as a query string.
    var encoded: String {
        fields.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    private static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                encoded += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return encoded
    }
}
