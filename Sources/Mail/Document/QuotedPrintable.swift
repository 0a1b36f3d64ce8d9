/// Text in quoted-printable (RFC 2045, section 6.7): ASCII in lines of up to 76 bytes that end with CRLF.
enum QuotedPrintable {
    private static let longestLine = 76

    /// - Parameter text: Its lines end with LF, CRLF or CR.
    static func encode(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count * 5 / 4)
        var bytes = Array(text.utf8)[...]
        var length = 0
        func append(_ part: [UInt8], isLast: Bool) {
            // A line that continues has one more byte at its end.
            if length + part.count > longestLine - (isLast ? 0 : 1) {
                result += "=\r\n".utf8
                length = 0
            }
            result += part
            length += part.count
        }
        while let byte = bytes.popFirst() {
            if byte == 0x0D || byte == 0x0A {
                if byte == 0x0D, bytes.first == 0x0A { bytes.removeFirst() }
                result += "\r\n".utf8
                length = 0
                continue
            }
            let isLast = bytes.first.map { $0 == 0x0D || $0 == 0x0A } ?? true
            append(isLiteral(byte, isLast: isLast) ? [byte] : escaped(byte), isLast: isLast)
        }
        return result
    }

    /// A blank at the end of a line is escaped, because servers may remove it.
    private static func isLiteral(_ byte: UInt8, isLast: Bool) -> Bool {
        switch byte {
        case 0x20, 0x09: !isLast
        case 0x21...0x7E: byte != UInt8(ascii: "=")
        default: false
        }
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
