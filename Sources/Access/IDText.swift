import Foundation

/// The text of an ID: the prefix of its kind, `_`, and 26 characters of Crockford's base32.
///
/// It is apart from `ID`, because a generic function of another module looks up the metadata of its types at each call.
enum IDText {
    private static let digits = 26

    /// Crockford's alphabet, without i, l, o and u.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The value of each byte as a digit, or 255.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The length in bytes.
    static func length(_ prefix: String) -> Int { prefix.utf8.count + 1 + digits }

    /// - Parameter text: Has room for `length` bytes.
    /// - Returns: The length.
    static func write(_ uuid: UUID, _ prefix: String, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let end = length(prefix)
        precondition(text.count >= end)
        _ = text.update(fromContentsOf: prefix.utf8)
        let start = prefix.utf8.count + 1
        text[start - 1] = UInt8(ascii: "_")
        alphabet.withUnsafeBufferPointer { alphabet in
            var (high, low) = uuid.halves
            for position in (start..<end).reversed() {
                text[position] = alphabet[Int(low & 31)]
                low = low >> 5 | high << 59
                high >>= 5
            }
        }
        return end
    }

    /// The UUID of a text, or nil for every text that `write` does not make.
    static func uuid(in text: String, _ prefix: String) -> UUID? {
        guard text.utf8.count == length(prefix), text.utf8.starts(with: prefix.utf8) else { return nil }
        var text = text
        return text.withUTF8 { bytes in
            let start = bytes.count - digits
            // 130 bits encode 128, so the first digit is at most 7.
            guard bytes[start - 1] == UInt8(ascii: "_"), bytes[start] <= UInt8(ascii: "7") else { return nil }
            return values.withUnsafeBufferPointer { values in
                var (high, low): (UInt64, UInt64) = (0, 0)
                for digit in bytes[start...] {
                    let value = values[Int(digit)]
                    guard value < 32 else { return nil }
                    high = high << 5 | low >> 59
                    low = low << 5 | UInt64(value)
                }
                return UUID(high: high, low: low)
            }
        }
    }
}
