/// JSON of any type, read strictly.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// An integer. A whole number with a fraction or an exponent is also an integer in JSON: `1.0` and `1e2`.
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The problem of a text, and its position in bytes from 0.
    package struct Malformed: Error {
        package let detail: String
        package let position: Int
    }

    /// Reads JSON strictly according to RFC 8259, and rejects the cases that the RFC leaves open: a repeated member (two
    /// readers would see two requests), half a surrogate pair, a number that no double represents, and excessive nesting.
    ///
    /// Foundation's decoder is not used, because it accepts repeated members and uses the last one. It also tries one type
    /// after the other for every value.
    /// - Parameter bytes: UTF-8, without a byte order mark.
    package init(json bytes: [UInt8]) throws(Malformed) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }
}

// MARK: Values of one type

extension JSONValue {
    /// The string. Nil for any other value.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number. Nil for any other value.
    package var wholeNumber: Int? {
        if case .integer(let number) = self { number } else { nil }
    }
}

private struct JSONParser {
    private static let deepest = 32
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(JSONValue.Malformed) -> JSONValue {
        guard bytes.isASCII || String(validating: bytes, as: UTF8.self) != nil
        else { throw malformed("it is not UTF-8") }
        skipSpace()
        let value = try self.value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw malformed("there is text after its end") }
        return value
    }

    private func malformed(_ detail: String) -> JSONValue.Malformed {
        .init(detail: detail, position: position)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) throws(JSONValue.Malformed) {
        for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
            guard next == byte else { throw malformed("a value is expected") }
            position += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONValue.Malformed) -> JSONValue {
        guard depth < Self.deepest else { throw malformed("it is nested too deeply") }
        guard let first = next else { throw malformed("a value is expected") }
        switch first {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try take(word: "true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try take(word: "false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try take(word: "null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw malformed("a value is expected")
        }
    }

    private mutating func object(depth: Int) throws(JSONValue.Malformed) -> JSONValue {
        position += 1
        skipSpace()
        if take("}") { return .object([:]) }
        // Room for the claims of a token. A dictionary that grows hashes its keys again. Other objects get room as they need it, because
        // a text can contain thousands.
        var members = [String: JSONValue](minimumCapacity: depth == 0 ? 16 : 1)
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("a member's name is expected") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw malformed("a colon is expected") }
            skipSpace()
            guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil
            else { throw malformed("a member occurs twice") }
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw malformed("a comma or the object's end is expected") }
        }
    }

    private mutating func array(depth: Int) throws(JSONValue.Malformed) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw malformed("a comma or the list's end is expected") }
        }
    }

    private mutating func digits() throws(JSONValue.Malformed) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw malformed("a digit is expected") }
    }

    private mutating func number() throws(JSONValue.Malformed) -> JSONValue {
        let start = position
        var isWhole = true
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw malformed("a number is too large") }
        // Larger doubles are always whole, so they do not show whether an integer was intended.
        if abs(double) <= 9_007_199_254_740_992, let integer = Int(exactly: double) { return .integer(integer) }
        return .number(double)
    }

    private mutating func string() throws(JSONValue.Malformed) -> String {
        position += 1
        let start = position
        skipUnescaped()
        // Most strings have no escape, so they are read in one piece.
        guard next == UInt8(ascii: "\\") else {
            guard next == UInt8(ascii: "\"") else { throw unterminated() }
            position += 1
            return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                text += try escaped()
            case 0..<0x20: throw unterminated()
            default:
                let start = position
                skipUnescaped()
                text += bytes[start..<position]
            }
        }
        throw unterminated()
    }

    /// Skips the bytes of a string that stand for themselves.
    private mutating func skipUnescaped() {
        position = bytes.withUnsafeBufferPointer { bytes in
            standsForItself.withUnsafeBufferPointer { standsForItself in
                var end = position
                while end < bytes.count, standsForItself[Int(bytes[end])] { end += 1 }
                return end
            }
        }
    }

    /// The error of a string that neither continues nor ends here.
    private func unterminated() -> JSONValue.Malformed {
        malformed(next == nil ? "a string does not end" : "a string contains a control character")
    }

    private mutating func escaped() throws(JSONValue.Malformed) -> [UInt8] {
        guard let byte = next else { throw malformed("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            if (0xD800..<0xDC00).contains(code) {
                guard take("\\"), take("u") else { throw malformed("half a surrogate pair") }
                let low = try fourDigits()
                guard (0xDC00..<0xE000).contains(low) else { throw malformed("half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed("half a surrogate pair") }
            return Array(Character(scalar).utf8)
        default: throw malformed("an escape sequence is unknown")
        }
    }

    private mutating func fourDigits() throws(JSONValue.Malformed) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = byte.hexDigitValue else {
                throw malformed("four hexadecimal digits are expected")
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}

/// Whether a byte of a string stands for itself (RFC 8259, section 7).
private let standsForItself: [Bool] = (UInt8.min...UInt8.max).map { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
