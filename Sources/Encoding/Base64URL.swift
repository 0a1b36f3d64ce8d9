extension [UInt8] {
    /// The bytes in base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        // An empty buffer has no address.
        guard !isEmpty else { return "" }
        let length = Self.base64URLCount(of: count)
        return withUnsafeBufferPointer { input in
            String(unsafeUninitializedCapacity: length) { output in
                Self.encode(input, to: output.baseAddress!)
                return length
            }
        }
    }

    /// Appends other bytes in base64url without padding.
    package mutating func append(base64URL bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let (start, length) = (count, Self.base64URLCount(of: bytes.count))
        append(contentsOf: repeatElement(0, count: length))
        withUnsafeMutableBufferPointer { output in
            bytes.withUnsafeBufferPointer { Self.encode($0, to: output.baseAddress! + start) }
        }
    }

    /// The length of a number of bytes in base64url.
    package static func base64URLCount(of bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

    private static func encode(_ input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>) {
        // Pointers instead of arrays, whose bounds are checked for each byte.
        let table = encodingTable.utf8Start
        let bytes = UnsafeRawBufferPointer(input)
        var (from, to) = (0, 0)
        // One read for three bytes. The fourth byte that it reads is not used.
        while from &+ 3 < bytes.count {
            let bits = bytes.loadUnaligned(fromByteOffset: from, as: UInt32.self).bigEndian &>> 8
            encode(bits, with: table, to: output + to)
            (from, to) = (from &+ 3, to &+ 4)
        }
        if from + 2 < input.count {
            encode(UInt32(input[from]) << 16 | UInt32(input[from + 1]) << 8 | UInt32(input[from + 2]), with: table, to: output + to)
            (from, to) = (from + 3, to + 4)
        }
        guard from < input.count else { return }
        let hasSecond = from + 1 < input.count
        let bits = UInt32(input[from]) << 16 | (hasSecond ? UInt32(input[from + 1]) << 8 : 0)
        output[to] = table[Int(bits >> 18)]
        output[to + 1] = table[Int(bits >> 12 & 63)]
        if hasSecond { output[to + 2] = table[Int(bits >> 6 & 63)] }
    }

    @inline(__always)
    private static func encode(_ bits: UInt32, with table: UnsafePointer<UInt8>, to output: UnsafeMutablePointer<UInt8>) {
        output[0] = table[Int(truncatingIfNeeded: bits &>> 18)]
        output[1] = table[Int(truncatingIfNeeded: bits &>> 12 & 63)]
        output[2] = table[Int(truncatingIfNeeded: bits &>> 6 & 63)]
        output[3] = table[Int(truncatingIfNeeded: bits & 63)]
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
        var (invalid, trailing): (UInt32, UInt32) = (0, 0)
        let output = decodingTable.withUnsafeBufferPointer { table in
            [UInt8](unsafeUninitializedCapacity: input.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)) { output, count in
                func sextet(_ position: Int) -> UInt32 {
                    let value = table[Int(input[position])]
                    invalid |= value
                    return value & 63
                }
                let first = output.baseAddress
                var (from, to, found): (Int, Int, UInt32) = (0, 0, 0)
                while from &+ 3 < input.count {
                    let (a, b, c, d) = (
                        table[Int(input[from])], table[Int(input[from &+ 1])], table[Int(input[from &+ 2])], table[Int(input[from &+ 3])]
                    )
                    found |= a | b | c | d
                    let bits = a &<< 18 | b &<< 12 | c &<< 6 | d
                    first![to] = UInt8(truncatingIfNeeded: bits &>> 16)
                    first![to &+ 1] = UInt8(truncatingIfNeeded: bits &>> 8)
                    first![to &+ 2] = UInt8(truncatingIfNeeded: bits)
                    (from, to) = (from &+ 4, to &+ 3)
                }
                (count, invalid) = (to, found)
                guard rest > 0 else { return }
                let bits = sextet(from) << 18 | sextet(from + 1) << 12 | (rest == 3 ? sextet(from + 2) << 6 : 0)
                output[count] = UInt8(truncatingIfNeeded: bits >> 16)
                if rest == 3 { output[count + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
                count += rest - 1
                trailing = rest == 3 ? bits & 0xFF : bits & 0xFFFF
            }
        }
        return invalid < 64 && trailing == 0 ? output : nil
    }
}

/// The alphabet of RFC 4648, section 5.
private let encodingTable: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/// The 6-bit value of a character; 255 for a character outside the alphabet.
private let decodingTable: [UInt32] = {
    var table = [UInt32](repeating: 255, count: 256)
    encodingTable.withUTF8Buffer { for (value, character) in $0.enumerated() { table[Int(character)] = UInt32(value) } }
    return table
}()
