extension [UInt8] {
    /// The bytes in base32 without padding (RFC 4648, section 6), for secrets that people type.
    package var base32: String {
        var digits: [UInt8] = []
        digits.reserveCapacity((count * 8 + 4) / 5)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in self {
            (bits, bitCount) = (bits << 8 | UInt32(byte), bitCount + 8)
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(Self.base32Digit(bits >> bitCount))
            }
        }
        // Zeros complete the last digit.
        if bitCount > 0 { digits.append(Self.base32Digit(bits << (5 - bitCount))) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The digit of the 5 lowest bits.
    private static func base32Digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(bits & 31)
        return value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
    }
}
