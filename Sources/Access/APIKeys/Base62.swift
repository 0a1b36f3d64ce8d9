/// Encodes secrets as digits and letters, so that a double click selects a whole secret.
package enum Base62 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    package static func random(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        String(decoding: (0..<count).map { _ in alphabet.randomElement(using: &generator)! }, as: UTF8.self)
    }

    /// The most significant digit comes first. Zeros pad the left side.
    static func digits(of value: UInt32, _ count: Int) -> ArraySlice<UInt8> {
        var rest = value
        var digits = [UInt8](repeating: 0, count: count)
        for place in digits.indices.reversed() {
            digits[place] = alphabet[Int(rest % 62)]
            rest /= 62
        }
        return digits[...]
    }

    static func encode(_ value: UInt32, digits: Int) -> String {
        String(decoding: Self.digits(of: value, digits), as: UTF8.self)
    }
}

/// CRC-32 as in IEEE 802.3 and zlib.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }
}
