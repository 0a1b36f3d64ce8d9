package import Foundation

/// JSON that is being written, in UTF-8.
package struct JSONText {
    /// Room for the text. Writing to a place costs less than appending to an array. With its header of 32 bytes, it is small enough for the
    /// cache of each thread in glibc's allocator (up to 1,032 bytes).
    private var room = [UInt8](repeating: 0, count: 992)
    /// The length of the text in bytes.
    private(set) var count = 0

    /// A copy of exactly the text's length, because some callers keep it.
    var bytes: [UInt8] { Array(room[..<count]) }

    init() {}

    /// Writes at most a number of bytes at the end.
    /// - Parameter body: Writes the bytes, and returns their number.
    @inline(__always)
    private mutating func write(atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if room.count - count < most { room.append(contentsOf: repeatElement(0, count: max(most, room.count))) }
        let start = count
        count += room.withUnsafeMutableBufferPointer { body($0.baseAddress! + start) }
    }

    mutating func append(_ text: StaticString) {
        append(bytes: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ byte: UInt8) {
        write(atMost: 1) {
            $0[0] = byte
            return 1
        }
    }

    private mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        write(atMost: bytes.count) {
            $0.update(from: start, count: bytes.count)
            return bytes.count
        }
    }

    mutating func append(_ number: some BinaryInteger) {
        append(unescaped: String(number))
    }

    mutating func append(_ number: Int) {
        write(atMost: 20) { text in
            var digits = number.magnitude
            var length = number < 0 ? 2 : 1
            var rest = digits
            while rest >= 10 { (rest, length) = (rest / 10, length + 1) }
            if number < 0 { text[0] = UInt8(ascii: "-") }
            var place = length
            repeat {
                place -= 1
                text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits % 10)
                digits /= 10
            } while digits > 0
            return length
        }
    }

    /// Appends text that is JSON already.
    mutating func append(unescaped text: String) {
        var text = text
        text.withUTF8 { append(bytes: $0) }
    }

    /// Appends a string. Every byte that JSON escapes is ASCII, and no other scalar contains such a byte in UTF-8.
    mutating func append(string text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard Self.hasEscape(utf8) else {
                return write(atMost: utf8.count + 2) { place in
                    place[0] = UInt8(ascii: "\"")
                    if let start = utf8.baseAddress { (place + 1).update(from: start, count: utf8.count) }
                    place[utf8.count + 1] = UInt8(ascii: "\"")
                    return utf8.count + 2
                }
            }
            append(UInt8(ascii: "\""))
            for byte in utf8 {
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(escaped: byte) } else { append(byte) }
            }
            append(UInt8(ascii: "\""))
        }
    }

    mutating func append(_ date: Date) {
        guard RFC3339.isCovered(date) else { return append(string: RFC3339.text(date)) }
        write(atMost: RFC3339.longest + 2) {
            $0[0] = UInt8(ascii: "\"")
            let length = RFC3339.write(date, to: $0 + 1)
            $0[length + 1] = UInt8(ascii: "\"")
            return length + 2
        }
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
        guard let value else { return }
        begin(name)
        append(value)
    }

    /// Writes a member whose value is an object.
    package mutating func member(_ name: StaticString, _ body: (inout JSONText) throws -> Void) rethrows {
        begin(name)
        try object(body)
    }

    /// Writes a member whose value is a text of a known length.
    /// - Parameter body: Writes the text in UTF-8, and returns its length. Nothing in it needs an escape.
    package mutating func member(_ name: StaticString, length: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        begin(name)
        write(atMost: length + 2) {
            $0[0] = UInt8(ascii: "\"")
            precondition(body(UnsafeMutableBufferPointer(start: $0 + 1, count: length)) == length)
            $0[length + 1] = UInt8(ascii: "\"")
            return length + 2
        }
    }

    private mutating func separate() {
        precondition(count > 0, "a member needs an object around it")
        // No value ends with this byte, so only the first member follows it.
        if room[count - 1] != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
    }

    private mutating func begin(_ name: StaticString) {
        separate()
        let length = name.utf8CodeUnitCount
        write(atMost: length + 3) {
            $0[0] = UInt8(ascii: "\"")
            ($0 + 1).update(from: name.utf8Start, count: length)
            $0[length + 1] = UInt8(ascii: "\"")
            $0[length + 2] = UInt8(ascii: ":")
            return length + 3
        }
    }
}
