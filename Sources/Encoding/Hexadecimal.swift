extension Sequence<UInt8> {
    /// The bytes in lowercase hexadecimal, with two digits per byte.
    @inlinable package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            let (high, low) = (byte >> 4, byte & 15)
            digits.append(high + (high < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            digits.append(low + (low < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of this byte as a hexadecimal digit in either case, or nil.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
