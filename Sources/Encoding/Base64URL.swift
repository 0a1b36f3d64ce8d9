extension [UInt8] {
    /// The bytes in base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        let fullGroups = count / 3
        let rest = count % 3
        let length = fullGroups * 4 + (rest == 0 ? 0 : rest + 1)
        return withUnsafeBufferPointer { input in
            String(unsafeUninitializedCapacity: length) { output in
                var at = 0
                func put(_ sextet: UInt32) {
                    output.initializeElement(at: at, to: encodingTable[Int(sextet & 63)])
                    at += 1
                }
                for group in 0..<fullGroups {
                    let bits = UInt32(input[group * 3]) << 16 | UInt32(input[group * 3 + 1]) << 8 | UInt32(input[group * 3 + 2])
                    put(bits >> 18)
                    put(bits >> 12)
                    put(bits >> 6)
                    put(bits)
                }
                if rest > 0 {
                    let first = UInt32(input[fullGroups * 3])
                    let second = rest == 2 ? UInt32(input[fullGroups * 3 + 1]) : 0
                    let bits = first << 16 | second << 8
                    put(bits >> 18)
                    put(bits >> 12)
                    if rest == 2 { put(bits >> 6) }
                }
                return at
            }
        }
    }

    /// Decodes base64url without padding; nil for any text that this encoding would not have produced.
    ///
    /// It rejects padding, white space, `+` and `/`, an impossible length and non-zero trailing bits. So each byte string
    /// has exactly one spelling. With two spellings, a token that was already seen would pass as a new one.
    package init?(base64URL text: String) {
        var text = text
        guard let decoded = text.withUTF8(Self.decode) else { return nil }
        self = decoded
    }

    /// Decodes a part of a text, by the same rules.
    package init?(base64URL text: Substring) {
        var text = text
        guard let decoded = text.withUTF8(Self.decode) else { return nil }
        self = decoded
    }

    /// Decodes bytes of a text, by the same rules.
    package init?(base64URL text: ArraySlice<UInt8>) {
        guard let decoded = text.withUnsafeBufferPointer(Self.decode) else { return nil }
        self = decoded
    }

    private static func decode(_ input: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let rest = input.count % 4
        guard rest != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(input.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var invalid: UInt8 = 0
        var held = 0
        for character in input {
            let sextet = decodingTable[Int(character)]
            invalid |= sextet & 0xC0
            bits = bits << 6 | UInt32(sextet & 63)
            held += 1
            if held == 4 {
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
                (bits, held) = (0, 0)
            }
        }
        guard invalid == 0 else { return nil }
        switch rest {
        case 2:
            guard bits & 0x0F == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            guard bits & 0x03 == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: break
        }
        return output
    }
}

/// The alphabet of RFC 4648, section 5.
private let encodingTable = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// The 6-bit value of a character; 255 for a character outside the alphabet.
private let decodingTable: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    for (value, character) in encodingTable.enumerated() { table[Int(character)] = UInt8(value) }
    return table
}()
