package import Foundation

/// JSON that is being written, in UTF-8.
package struct JSONText {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(1024)
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(_ number: some BinaryInteger) {
        append(unescaped: String(number))
    }

    /// Appends text that is JSON already.
    mutating func append(unescaped text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a string. Every byte that JSON escapes is ASCII, and no other scalar contains such a byte in UTF-8.
    mutating func append(string text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            guard Self.hasEscape(utf8) else { return bytes.append(contentsOf: utf8) }
            for byte in utf8 {
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(escaped: byte) } else { append(byte) }
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Whether a byte needs an escape. Hardly any string has one.
    ///
    /// The loop has no branch, so the compiler tests 16 or more bytes at a time. The top bit of each difference shows the byte: it is set
    /// if an ASCII byte is below 0x20, or equal to the other operand.
    private static func hasEscape(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in utf8 {
            let (isControl, isQuote, isBackslash) = (byte &- 0x20, (byte ^ 0x22) &- 1, (byte ^ 0x5C) &- 1)
            found |= (isControl | isQuote | isBackslash) & ~byte
        }
        return found >= 0x80
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        default:
            append(byte < 0x10 ? #"\u000"# : #"\u001"#)
            append(Self.digits[Int(byte & 0x0F)])
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

// MARK: Objects

extension JSONText {
    /// Writes an object with the members that the body writes.
    package mutating func object(_ body: (inout JSONText) throws -> Void) rethrows {
        append(UInt8(ascii: "{"))
        try body(&self)
        append(UInt8(ascii: "}"))
    }

    /// Writes a member of the innermost object. A nil value is left out.
    /// - Parameter name: ASCII that needs no escape.
    package mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        begin(name)
        append(string: value)
    }

    /// Writes a member whose name is not known before.
    package mutating func member(named name: String, _ value: String) {
        separate()
        append(string: name)
        append(UInt8(ascii: ":"))
        append(string: value)
    }

    package mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        begin(name)
        append(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        begin(name)
        append(value ? "true" : "false")
    }

    package mutating func member(_ name: StaticString, _ values: [String]) {
        begin(name)
        append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(string: value)
        }
        append(UInt8(ascii: "]"))
    }

    package mutating func member(_ name: StaticString, _ value: Date?) {
        member(name, value.map { RFC3339.text($0) })
    }

    private mutating func separate() {
        // No value ends with this byte, so only the first member follows it.
        if bytes.last != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
    }

    private mutating func begin(_ name: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
    }
}
