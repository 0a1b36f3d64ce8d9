/// Text that was typed or received, read by bytes. To a pattern, `[A-Z]` matches a Kelvin sign and `\d` a digit of any script; U+0600 before
/// a separator makes one `Character` that is not the separator.
extension StringProtocol {
    /// The output of a pattern that matches all of the text; nil where the text is not ASCII.
    func wholeASCIIMatch<Output>(of pattern: Regex<Output>) -> Output? where SubSequence == Substring {
        utf8.allSatisfy { $0 < 0x80 } ? wholeMatch(of: pattern)?.output : nil
    }

    /// The parts between separators, empty ones too.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        Substring(self).utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Byte for byte the same.
    func isSame(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
