/// The distinguished encoding of ASN.1 values (X.690), as far as a certificate needs it.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }
    static func set(_ part: [UInt8]) -> [UInt8] { value(0x31, part) }
    static func utf8String(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }
    static let null: [UInt8] = [0x05, 0x00]

    /// A positive integer.
    /// - Parameter magnitude: big-endian.
    static func integer(_ magnitude: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        // The first bit is the sign.
        let isNegative = digits.first.map { $0 >= 0x80 } ?? true
        return value(0x02, isNegative ? [0] + digits : digits)
    }

    /// A text of whole bytes.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }

    /// - Parameter encoded: the content of the encoding.
    static func objectIdentifier(_ encoded: [UInt8]) -> [UInt8] { value(0x06, encoded) }

    /// A time in UTC: `YYMMDDHHMMSSZ` until 2049, otherwise with four digits of the year (RFC 5280, section 4.1.2.5).
    static func time(_ year: Int, _ rest: [Int]) -> [UInt8] {
        let parts = (2000..<2050).contains(year) ? [year % 100] + rest : [year / 100, year % 100] + rest
        let digits = parts.flatMap { [UInt8(ascii: "0") + UInt8($0 / 10), UInt8(ascii: "0") + UInt8($0 % 10)] }
        return value((2000..<2050).contains(year) ? 0x17 : 0x18, digits + [UInt8(ascii: "Z")])
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        if content.count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + content
    }
}
