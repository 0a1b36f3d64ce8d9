/// Compares typed or received text by bytes.
///
/// In a pattern, `[A-Z]` also matches a Kelvin sign, and `\d` matches a digit of any script. U+0600 and a separator after it form one
/// `Character`, which is not equal to the separator.
extension StringProtocol {
    /// The output of a pattern that matches the whole text. Nil if the text is not ASCII.
    func wholeASCIIMatch<Output>(of pattern: Regex<Output>) -> Output? where SubSequence == Substring {
        utf8.allSatisfy { $0 < 0x80 } ? wholeMatch(of: pattern)?.output : nil
    }

    /// The parts between separators, including empty ones.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        Substring(self).utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Whether both texts have the same bytes.
    func isSame(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
