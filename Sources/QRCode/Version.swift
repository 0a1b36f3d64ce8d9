/// The size of a symbol and the layout of its codewords for level M (ISO/IEC 18004:2015, tables 1, 7 and 9, and annex E).
struct Version {
    /// From 1 to 10.
    let number: Int
    /// The error correction codewords of each block.
    let correctionCount: Int
    /// The data codewords of each block. The longer blocks are the last ones.
    let blocks: [Int]
    /// The coordinates of the centers of the alignment patterns.
    let alignment: [Int]

    /// The number of modules per side.
    var size: Int { 17 + 4 * number }
    var dataCount: Int { blocks.reduce(0, +) }

    /// The width of the field with the number of bytes, in bits.
    var countWidth: Int { number < 10 ? 8 : 16 }

    /// The maximum number of bytes. The mode and the count take 12 or 20 bits.
    var byteCapacity: Int { dataCount - (4 + countWidth + 7) / 8 }

    static let all = [
        Version(1, correction: 10, blocks: [16], alignment: []),
        Version(2, correction: 16, blocks: [28], alignment: [6, 18]),
        Version(3, correction: 26, blocks: [44], alignment: [6, 22]),
        Version(4, correction: 18, blocks: [32, 32], alignment: [6, 26]),
        Version(5, correction: 24, blocks: [43, 43], alignment: [6, 30]),
        Version(6, correction: 16, blocks: [27, 27, 27, 27], alignment: [6, 34]),
        Version(7, correction: 18, blocks: [31, 31, 31, 31], alignment: [6, 22, 38]),
        Version(8, correction: 22, blocks: [38, 38, 39, 39], alignment: [6, 24, 42]),
        Version(9, correction: 22, blocks: [36, 36, 36, 37, 37], alignment: [6, 26, 46]),
        Version(10, correction: 26, blocks: [43, 43, 43, 43, 44], alignment: [6, 28, 50]),
    ]

    private init(_ number: Int, correction: Int, blocks: [Int], alignment: [Int]) {
        (self.number, correctionCount, self.blocks, self.alignment) = (number, correction, blocks, alignment)
    }

    static func smallest(for byteCount: Int) -> Version? {
        all.first { $0.byteCapacity >= byteCount }
    }
}
