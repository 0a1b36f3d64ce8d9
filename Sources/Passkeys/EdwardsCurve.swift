/// The curve of Ed25519: −x² + y² = 1 + d·x²·y² over the numbers modulo p = 2^255 − 19 (RFC 8032, section 5.1).
///
/// BoringSSL finds out whether a point exists only together with a signature.
enum EdwardsCurve {
    /// d, with the lowest byte first.
    private static let d = FieldNumber([
        0xA3, 0x78, 0x59, 0x13, 0xCA, 0x4D, 0xEB, 0x75, 0xAB, 0xD8, 0x41, 0x41, 0x4D, 0x0A, 0x70, 0x00, 0x98, 0xE8, 0x79, 0x77, 0x79, 0x40,
        0xC7, 0x8C, 0x73, 0xFE, 0x6F, 0x2B, 0xEE, 0x6C, 0x03, 0x52,
    ])
    private static let one = FieldNumber([1] + [UInt8](repeating: 0, count: 31))
    /// p − 1
    private static let minusOne = FieldNumber([0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F])

    /// Whether a point has this y-coordinate.
    ///
    /// Then x² = (y² − 1) / (d·y² + 1) is a square. The product of both sides of the fraction is one in the same cases. It is 0 only for the
    /// points of small order with y = ±1, which do not count here.
    /// - Parameter y: 32 bytes, the lowest one first, without the sign of x.
    static func hasPoint(atY y: [UInt8]) -> Bool {
        let y = FieldNumber(y)
        let product = (y * y + minusOne) * (d * y * y + one)
        // Euler's criterion: a square has the power 1 with the exponent (p − 1) / 2, which is 2^254 − 10. All of its bits are 1, except for two.
        var power = one
        for bit in (0..<254).reversed() {
            power = power * power
            if bit != 0, bit != 3 { power = power * product }
        }
        return power.isOne
    }
}

/// A number modulo p = 2^255 − 19. The time of an operation depends on its numbers, so they must be public.
private struct FieldNumber {
    /// 8 digits of 32 bits, the lowest one first. A number below 2^256 has up to three such forms.
    private var digits: [UInt64]

    init(_ bytes: [UInt8]) {
        digits = (0..<8).map { place in (0..<4).reduce(0) { $0 | UInt64(bytes[4 * place + $1]) << UInt64(8 * $1) } }
    }

    /// - Parameter overflow: what the sum of the digits lacks, in units of 2^256, which is 38 modulo p.
    private init(_ digits: [UInt64], overflow: UInt64) {
        self.digits = digits
        var rest = overflow
        while rest > 0 {
            rest *= 38
            for place in digits.indices {
                let sum = self.digits[place] + rest
                (self.digits[place], rest) = (sum & 0xFFFF_FFFF, sum >> 32)
            }
        }
    }

    static func + (one: FieldNumber, other: FieldNumber) -> FieldNumber {
        var (digits, carry) = (one.digits, UInt64(0))
        for place in digits.indices {
            let sum = digits[place] + other.digits[place] + carry
            (digits[place], carry) = (sum & 0xFFFF_FFFF, sum >> 32)
        }
        return FieldNumber(digits, overflow: carry)
    }

    static func * (one: FieldNumber, other: FieldNumber) -> FieldNumber {
        var product = [UInt64](repeating: 0, count: 16)
        for place in 0..<8 {
            var carry: UInt64 = 0
            for offset in 0..<8 {
                // It never exceeds 64 bits.
                let sum = product[place + offset] + one.digits[place] * other.digits[offset] + carry
                (product[place + offset], carry) = (sum & 0xFFFF_FFFF, sum >> 32)
            }
            product[place + 8] = carry
        }
        var (digits, carry) = ([UInt64](), UInt64(0))
        for place in 0..<8 {
            let sum = product[place] + 38 * product[place + 8] + carry
            digits.append(sum & 0xFFFF_FFFF)
            carry = sum >> 32
        }
        return FieldNumber(digits, overflow: carry)
    }

    /// Whether it is 1, p + 1 or 2p + 1.
    var isOne: Bool {
        let middle = digits[1..<7]
        return digits[0] == 1 && digits[1...].allSatisfy { $0 == 0 }
            || middle.allSatisfy { $0 == 0xFFFF_FFFF }
                && (digits[0] == 0xFFFF_FFEE && digits[7] == 0x7FFF_FFFF || digits[0] == 0xFFFF_FFDB && digits[7] == 0xFFFF_FFFF)
    }
}
