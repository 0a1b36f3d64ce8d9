extension Symbol {
    /// The points for patterns that make a symbol hard to read (ISO/IEC 18004:2015, section 7.8.3). Fewer are better.
    var penalty: Int {
        let rows = (0..<size).map { y in (0..<size).map { x in self[x, y] } }
        let columns = (0..<size).map { x in (0..<size).map { y in self[x, y] } }
        return (rows + columns).reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) } + squares + imbalance
    }

    /// 3 points for 5 modules of one color in a line, and 1 for each further one.
    private static func runs(in line: [Bool]) -> Int {
        var (points, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { points += 3 } else if length > 5 { points += 1 }
        }
        return points
    }

    /// 40 points for each row of modules that looks like a finder pattern with 4 light modules on one side.
    private static func finders(in line: [Bool]) -> Int {
        var (points, last) = (0, 0)
        for (index, isDark) in line.enumerated() {
            last = last << 1 & 0x7FF | (isDark ? 1 : 0)
            if index >= 10, last == 0b101_1101_0000 || last == 0b000_0101_1101 { points += 40 }
        }
        return points
    }

    /// 3 points for each square of 2 × 2 modules of one color.
    private var squares: Int {
        var points = 0
        for y in 1..<size {
            for x in 1..<size where [self[x - 1, y], self[x, y - 1], self[x - 1, y - 1]].allSatisfy({ $0 == self[x, y] }) { points += 3 }
        }
        return points
    }

    /// 10 points for each 5 % by which the share of dark modules differs from a half.
    private var imbalance: Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}
