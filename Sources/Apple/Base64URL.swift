/// Decodes base64url without padding (RFC 4648, section 5); nil for padding, other characters, or an impossible length.
func base64URLDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let rest = text.count % 4
    guard rest != 1 else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3 + 2)
    var (bits, held, invalid): (UInt32, Int, UInt8) = (0, 0, 0)
    for character in text {
        let sextet = sextets[Int(character)]
        invalid |= sextet & 0xC0
        bits = bits << 6 | UInt32(sextet & 63)
        held += 6
        if held >= 8 {
            held -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        }
    }
    // The remaining bits must be zero, as in the only spelling that an encoder produces.
    guard invalid == 0, bits & (1 << UInt32(held) - 1) == 0 else { return nil }
    return output
}

/// The 6-bit value of a character; 255 for a character outside the alphabet.
private let sextets: [UInt8] = {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    var table = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
    return table
}()
