/// The codewords of a symbol in the order in which they are placed: data and error correction, by turns from each block (ISO/IEC
/// 18004:2015, sections 7.4 to 7.6).
enum Codewords {
    static func make(_ content: [UInt8], _ version: Version) -> [UInt8] {
        let data = data(content, version)
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for count in version.blocks {
            blocks.append(data[start..<(start + count)])
            start += count
        }
        let corrections = blocks.map { ReedSolomon.correction(of: $0, count: version.correctionCount)[...] }
        return byTurns(blocks) + byTurns(corrections)
    }

    /// The mode, the number of bytes, the bytes, and the filling.
    private static func data(_ content: [UInt8], _ version: Version) -> [UInt8] {
        var bits = Bits()
        bits.append(0b0100, width: 4)
        bits.append(content.count, width: version.countWidth)
        for byte in content { bits.append(Int(byte), width: 8) }
        // The mode and the count have 4 bits more than whole bytes, so this end of the content also completes the last byte.
        bits.append(0, width: 4)
        var filling: UInt8 = 0xEC
        while bits.bytes.count < version.dataCount {
            bits.bytes.append(filling)
            filling ^= 0xEC ^ 0x11
        }
        return bits.bytes
    }

    /// The first byte of each block, then the second of each, and so on.
    private static func byTurns(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { $0.dropFirst(index).first } }
    }
}

/// Bytes that are written bit by bit, with the highest bit first.
private struct Bits {
    var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func append(_ value: Int, width: Int) {
        for bit in (0..<width).reversed() {
            if bitCount.isMultiple(of: 8) { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << (7 - bitCount % 8)
            bitCount += 1
        }
    }
}
