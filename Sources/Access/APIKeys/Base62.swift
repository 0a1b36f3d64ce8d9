/// Encodes secrets as digits and letters, so that a double click selects a whole secret.
package enum Base62 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    package static func random(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        String(decoding: (0..<count).map { _ in alphabet.randomElement(using: &generator)! }, as: UTF8.self)
    }

    /// The most significant digit comes first. Zeros pad the left side.
    static func encode(_ value: UInt32, digits: Int) -> String {
        var rest = value
        var text: [UInt8] = []
        for _ in 0..<digits {
            text.append(alphabet[Int(rest % 62)])
            rest /= 62
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }
}

/// CRC-32 as in IEEE 802.3 and zlib.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }
}
