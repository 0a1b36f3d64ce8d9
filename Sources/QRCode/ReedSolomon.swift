/// The error correction of a block: Reed-Solomon over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004:2015, section
/// 7.5.2).
enum ReedSolomon {
    /// The correction codewords of a block: the remainder of its data codewords, divided by the generator polynomial.
    static func correction(of data: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        let generator = generator(count)
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(generator[index], factor) }
        }
        return remainder
    }

    /// The coefficients of (x - 1)(x - 2)(x - 4)…, with the highest power first. The first coefficient is 1 and is left out.
    private static func generator(_ count: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < count { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (left, right, result) = (left, right, UInt8(0))
        while right > 0 {
            if right & 1 == 1 { result ^= left }
            left = left << 1 ^ (left & 0x80 == 0 ? 0 : 0x1D)
            right >>= 1
        }
        return result
    }
}
