/// Text from the wire, read by bytes.
///
/// Protocols separate by bytes of ASCII, and compare by bytes. Swift's own functions work by `Character` and canonical
/// equivalence: U+0600 before a comma makes one character that is not a comma, and a Kelvin sign equals a K. A caller could so hide
/// a separator, or pass off one value as another. Use these functions for all text from a caller.
extension StringProtocol {
    /// The parts between separators.
    /// - Parameters:
    ///   - separator: a character of ASCII.
    ///   - most: the largest number of parts; the last one has the rest.
    ///   - keepsEmpty: whether parts without a byte count.
    package func parts(at separator: Unicode.Scalar, atMost most: Int = .max, keepingEmpty keepsEmpty: Bool = false) -> [Substring] {
        Substring(self).utf8
            .split(separator: UInt8(ascii: separator), maxSplits: most - 1, omittingEmptySubsequences: !keepsEmpty)
            .map { Substring($0) }
    }

    /// Byte for byte the same.
    package func isSame(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// Whether its first bytes are these.
    package func begins(with prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    /// Without blanks and tabs around it (RFC 9110, section 5.6.3: OWS).
    package var withoutBlanks: Substring {
        var bytes = Substring(self).utf8[...]
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }

    /// `A` to `Z` in lower case, and nothing else: tokens of protocols are compared so.
    package var asciiLowercased: String {
        String(decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The elements of a list in a header (RFC 9110, section 5.6.1). Empty ones mean nothing.
    package var listElements: [Substring] {
        parts(at: ",").map(\.withoutBlanks).filter { !$0.isEmpty }
    }

    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension Sequence where Element: StringProtocol {
    /// Whether one of them is, byte for byte, this one.
    package func has(_ text: some StringProtocol) -> Bool {
        contains { $0.isSame(as: text) }
    }
}

extension String {
    /// The output of a pattern that matches all of the text; nil where the text is not ASCII.
    ///
    /// To a pattern, `[A-Z]` matches a Kelvin sign, `\d` a digit of any script, and a letter with an accent after it is not the letter.
    package func wholeASCIIMatch<Output>(of pattern: Regex<Output>) -> Output? {
        isASCII ? wholeMatch(of: pattern)?.output : nil
    }
}
