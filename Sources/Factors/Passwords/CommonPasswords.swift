/// The most common passwords of published leaks. An attacker tries these first (NIST SP 800-63B-4, section 3.1.1.2).
///
/// The words are in the program itself, and a search reads about 14 of them where they are. So the list takes no time at the start, and no
/// memory of its own.
enum CommonPasswords {
    /// Whether a whole lowercased password is in the list.
    static func contains(_ password: [UInt8]) -> Bool {
        words.withUTF8Buffer { text in
            // A binary search by bytes. Both bounds are at the start of a word.
            var (low, high) = (0, text.count)
            while low < high {
                let middle = low + (high - low) / 2
                var (start, end) = (middle, middle)
                while start > low, !text[start - 1].isSeparator { start -= 1 }
                while end < high, !text[end].isSeparator { end += 1 }
                let word = text[start..<end]
                if word.elementsEqual(password) { return true }
                if word.lexicographicallyPrecedes(password) { low = end + 1 } else { high = start }
            }
            return false
        }
    }
}

extension UInt8 {
    /// One blank or line end is between two words.
    fileprivate var isSeparator: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") }
}
