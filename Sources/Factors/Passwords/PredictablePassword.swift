extension [UInt8] {
    /// Whether a lowercased password follows a simple rule. The list of common passwords has few of these, because it was made for a check
    /// that finds them by their rule.
    var isPredictable: Bool {
        let unit = repeatedUnit
        return unit.count < Password.leastCharacters || unit.count < count && CommonPasswords.contains(unit) || isRow || isDate
    }

    /// The shortest bytes whose repetition gives all bytes. They are all of them if there is no repetition.
    private var repeatedUnit: [UInt8] {
        for length in 1..<Swift.max(count, 1) where count.isMultiple(of: length) {
            if dropFirst(length).elementsEqual(dropLast(length)) { return Array(prefix(length)) }
        }
        return self
    }

    /// Whether each byte is the successor of the one before it, or each the predecessor. After `9` comes `0`.
    private var isRow: Bool {
        let pairs = zip(self, dropFirst())
        return pairs.allSatisfy { $1 == $0.successor } || pairs.allSatisfy { $0 == $1.successor }
    }

    /// Whether it is a day of the years 1900 to 2099 with 8 digits, in any order and with the usual separators. There are only 73,000 days.
    private var isDate: Bool {
        let digits = filter { !".-/ ".utf8.contains($0) }
        guard digits.count == 8, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        func isDay(year: Int, _ one: Int, _ other: Int) -> Bool {
            (1900...2099).contains(year) && (1...12).contains(Swift.min(one, other)) && (1...31).contains(Swift.max(one, other))
        }
        return isDay(year: number(0..<4), number(4..<6), number(6..<8)) || isDay(year: number(4..<8), number(0..<2), number(2..<4))
    }
}

extension UInt8 {
    fileprivate var successor: UInt8 { self == UInt8(ascii: "9") ? UInt8(ascii: "0") : self &+ 1 }
}
