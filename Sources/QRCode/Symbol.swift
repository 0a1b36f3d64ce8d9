/// The modules of a symbol with one mask.
struct Symbol {
    let size: Int
    /// Whether each module is dark, by rows.
    private(set) var modules: [Bool]
    /// Whether each module belongs to a pattern or to the format, and not to the data.
    private var isReserved: [Bool]

    init(_ content: [UInt8], _ version: Version, mask: Mask) {
        size = version.size
        modules = [Bool](repeating: false, count: size * size)
        isReserved = modules
        drawTiming()
        drawFinders()
        drawAlignment(version)
        drawVersion(version)
        drawFormat(mask)
        place(Codewords.make(content, version), mask)
    }

    subscript(x: Int, y: Int) -> Bool { modules[y * size + x] }

    private mutating func reserve(_ x: Int, _ y: Int, _ isDark: Bool) {
        modules[y * size + x] = isDark
        isReserved[y * size + x] = true
    }
}

// MARK: Patterns

extension Symbol {
    /// A row and a column of alternating modules (ISO/IEC 18004:2015, section 6.3.4). The next patterns are drawn over their ends.
    private mutating func drawTiming() {
        for at in 0..<size {
            reserve(at, 6, at.isMultiple(of: 2))
            reserve(6, at, at.isMultiple(of: 2))
        }
    }

    /// Squares in three corners, with a light border (sections 6.3.2 and 6.3.3).
    private mutating func drawFinders() {
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawSquares(x, y, radius: 4, light: [2, 4]) }
    }

    /// Small squares at all crossings except at the finders (section 6.3.6).
    private mutating func drawAlignment(_ version: Version) {
        guard let first = version.alignment.first, let last = version.alignment.last else { return }
        for x in version.alignment {
            for y in version.alignment where ![(first, first), (first, last), (last, first)].contains(where: { $0 == (x, y) }) {
                drawSquares(x, y, radius: 2, light: [1])
            }
        }
    }

    /// Squares around a center, as far as they are in the symbol.
    private mutating func drawSquares(_ centerX: Int, _ centerY: Int, radius: Int, light: [Int]) {
        for y in max(0, centerY - radius)...min(size - 1, centerY + radius) {
            for x in max(0, centerX - radius)...min(size - 1, centerX + radius) {
                reserve(x, y, !light.contains(max(abs(x - centerX), abs(y - centerY))))
            }
        }
    }

    /// The number of the version, from version 7 (section 7.10).
    private mutating func drawVersion(_ version: Version) {
        guard version.number >= 7 else { return }
        let bits = version.number << 12 | Self.remainder(of: version.number, degree: 12, divisor: 0x1F25)
        for place in 0..<18 {
            let (near, far) = (place / 3, size - 11 + place % 3)
            reserve(far, near, bits >> place & 1 == 1)
            reserve(near, far, bits >> place & 1 == 1)
        }
    }

    /// The level and the mask, twice (section 7.9). The two bits of level M are 0.
    private mutating func drawFormat(_ mask: Mask) {
        let bits = (mask.rawValue << 10 | Self.remainder(of: mask.rawValue, degree: 10, divisor: 0x537)) ^ 0x5412
        for place in 0..<15 {
            let isDark = bits >> place & 1 == 1
            // Beside the finder at the top left, around the timing patterns.
            switch place {
            case 0..<6: reserve(8, place, isDark)
            case 6..<8: reserve(8, place + 1, isDark)
            case 8: reserve(7, 8, isDark)
            default: reserve(14 - place, 8, isDark)
            }
            // Beside the two other finders.
            if place < 8 { reserve(size - 1 - place, 8, isDark) } else { reserve(8, size - 15 + place, isDark) }
        }
        // This module is always dark.
        reserve(8, size - 8, true)
    }

    /// The remainder of a division by a polynomial over GF(2), as in annexes C and D.
    private static func remainder(of value: Int, degree: Int, divisor: Int) -> Int {
        (0..<degree).reduce(value) { rest, _ in rest << 1 ^ (rest >> (degree - 1)) * divisor }
    }
}

// MARK: Data

extension Symbol {
    /// Places the codewords in pairs of columns from the right, upwards and downwards by turns (section 7.7.3). The rest stays 0.
    private mutating func place(_ codewords: [UInt8], _ mask: Mask) {
        var (column, isUpwards, bit) = (size - 1, true, 0)
        while column > 0 {
            // The column of the timing pattern has no data.
            if column == 6 { column = 5 }
            for step in 0..<size {
                let y = isUpwards ? size - 1 - step : step
                for x in [column, column - 1] where !isReserved[y * size + x] {
                    let isSet = bit < codewords.count * 8 && codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    modules[y * size + x] = isSet != mask.inverts(x: x, y: y)
                    bit += 1
                }
            }
            (column, isUpwards) = (column - 2, !isUpwards)
        }
    }
}
