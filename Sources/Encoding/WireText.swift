#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Text from the wire, read by bytes.
///
/// Protocols separate and compare by ASCII bytes. Swift's own functions work by `Character` and canonical equivalence. U+0600
/// before a comma makes one character that is not a comma, and a Kelvin sign equals a K. So a caller could hide a separator or
/// present one value as another. Use these functions for all text from a caller.
extension StringProtocol {
    /// The parts between separators.
    /// - Parameters:
    ///   - separator: An ASCII character.
    ///   - most: The maximum number of parts. The last part contains the rest.
    ///   - includesEmpty: Whether empty parts count.
    package func parts(at separator: Unicode.Scalar, atMost most: Int = .max, includingEmpty includesEmpty: Bool = false) -> [Substring] {
        let text = Substring(self)
        let (bytes, byte) = (text.utf8, UInt8(ascii: separator))
        let fast = bytes.withContiguousStorageIfAvailable { bytes in
            bytes.ranges(between: byte, atMost: most, includingEmpty: includesEmpty)
        }
        guard let fast else {
            return bytes.split(separator: byte, maxSplits: most - 1, omittingEmptySubsequences: !includesEmpty).map { Substring($0) }
        }
        return fast.map { range in
            let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
            return text[start..<bytes.index(start, offsetBy: range.count)]
        }
    }

    /// Whether both texts have the same bytes.
    @inlinable package func isSame(as other: some StringProtocol) -> Bool {
        let result = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.count == $0.count && mine.agrees(with: $0) }
        }
        return result.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the text starts with these bytes.
    @inlinable package func begins(with prefix: String) -> Bool {
        let result = utf8.withContiguousStorageIfAvailable { mine in
            prefix.utf8.withContiguousStorageIfAvailable { mine.count >= $0.count && mine.agrees(with: $0) }
        }
        return result.flatMap(\.self) ?? utf8.starts(with: prefix.utf8)
    }

    /// The text without blanks and tabs around it (RFC 9110, section 5.6.3: OWS).
    package var withoutBlanks: Substring {
        var bytes = Substring(self).utf8[...]
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }

    /// The text with `A` to `Z` in lowercase and no other change, as for the comparison of protocol tokens.
    @inlinable package var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The elements of a list in a header (RFC 9110, section 5.6.1). Empty elements are left out.
    package var listElements: [Substring] {
        parts(at: ",").map(\.withoutBlanks).filter { !$0.isEmpty }
    }

    @inlinable package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension UInt8 {
    /// The byte, with `A` to `Z` in lowercase.
    @inlinable package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Collection<UInt8> {
    /// Whether all bytes are ASCII. The loop has no branch, so the compiler tests 16 or more bytes at a time.
    var isASCII: Bool {
        let isASCII = withContiguousStorageIfAvailable { bytes in
            var all: UInt8 = 0
            for byte in bytes { all |= byte }
            return all < 0x80
        }
        return isASCII ?? allSatisfy { $0 < 0x80 }
    }
}

extension ArraySlice<UInt8> {
    /// The first position of a byte. The C library compares 32 bytes at a time.
    func position(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return startIndex + (UnsafeRawPointer(found) - start)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The ranges between separators, by the rules of `parts`.
    package func ranges(between separator: UInt8, atMost most: Int, includingEmpty includesEmpty: Bool) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        for (position, byte) in enumerated() where byte == separator && ranges.count < most - 1 {
            if includesEmpty || start < position { ranges.append(start..<position) }
            start = position + 1
        }
        if includesEmpty || start < count { ranges.append(start..<count) }
        return ranges
    }

    /// Whether these bytes start with the other bytes, which are not longer.
    @usableFromInline func agrees(with other: Self) -> Bool {
        // An empty buffer has no address.
        guard let mine = baseAddress, let others = other.baseAddress else { return other.isEmpty }
        return memcmp(mine, others, other.count) == 0
    }
}

extension Sequence where Element: StringProtocol {
    /// Whether one element has the same bytes as this text.
    @inlinable package func has(_ text: some StringProtocol) -> Bool {
        contains { $0.isSame(as: text) }
    }
}

extension String {
    /// The output of a pattern that matches the whole text; nil if the text is not ASCII.
    ///
    /// In a pattern, `[A-Z]` matches a Kelvin sign, `\d` matches a digit of any script, and a letter with a combining accent is not the
    /// letter.
    package func wholeASCIIMatch<Output>(of pattern: Regex<Output>) -> Output? {
        isASCII ? wholeMatch(of: pattern)?.output : nil
    }
}
