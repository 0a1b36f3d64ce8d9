import Testing

@testable import QRCode

@Suite("QR code")
struct QRCodeTests {
    @Test("the symbol of a text is the known one, with the best mask")
    func picture() throws {
        let code = try #require(QRCode(Array("Espalier 2026".utf8)))
        let lines = (0..<code.size).map { y in (0..<code.size).map { x in code.isDark(x: x, y: y) ? "#" : "." }.joined() }
        #expect(lines.joined(separator: "\n") == KnownSymbols.picture)
        let penalties = Mask.allCases.map { Symbol(Array("Espalier 2026".utf8), Version.all[0], mask: $0).penalty }
        #expect(penalties == [544, 531, 314, 487, 377, 412, 556, 549])
    }

    @Test("the symbols of all versions and masks are those of another implementation", arguments: 1...10)
    func known(number: Int) throws {
        let version = Version.all[number - 1]
        let content = KnownSymbols.content(number, capacity: version.byteCapacity)
        let symbol = Symbol(content, version, mask: try #require(Mask(rawValue: (number - 1) % 8)))
        let rows = KnownSymbols.rows[number - 1].split { $0 == " " || $0 == "\n" }.compactMap { UInt64($0, radix: 16) }
        #expect(symbol.size == rows.count)
        for (y, row) in rows.enumerated() {
            let mine = (0..<symbol.size).reduce(UInt64(0)) { $0 << 1 | (symbol[$1, y] ? 1 : 0) }
            #expect(mine == row, "row \(y)")
        }
        // The symbol that a page shows has the same content, in this version, with one of the masks.
        let code = try #require(QRCode(content))
        #expect(Mask.allCases.contains { QRCode(Symbol(content, version, mask: $0)) == code })
    }

    @Test(
        "the smallest version with enough room is used (ISO/IEC 18004:2015, table 7)",
        arguments: [(1, 14), (2, 26), (3, 42), (4, 62), (5, 84), (6, 106), (7, 122), (8, 152), (9, 180), (10, 213)])
    func capacity(number: Int, capacity: Int) throws {
        let fits = try #require(QRCode([UInt8](repeating: 0x61, count: capacity)))
        #expect(fits.size == 17 + 4 * number)
        let longer = QRCode([UInt8](repeating: 0x61, count: capacity + 1))
        #expect(longer?.size == (number < 10 ? fits.size + 4 : nil))
        #expect(Version.all[number - 1].byteCapacity == capacity)
    }

    @Test("an empty content and the longest one have a symbol, and a longer one does not")
    func bounds() {
        #expect(QRCode([])?.size == 21)
        #expect(QRCode([UInt8](repeating: 255, count: QRCode.mostBytes)) != nil)
        #expect(QRCode([UInt8](repeating: 255, count: QRCode.mostBytes + 1)) == nil)
    }

    @Test("the codewords of each version are as many as the standard has (table 1)")
    func codewords() {
        for (version, count) in zip(Version.all, [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]) {
            #expect(Codewords.make([1, 2, 3], version).count == count)
        }
    }

    @Test("the error correction of the example in the standard (annex I)")
    func correction() {
        let data: [UInt8] = [0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11]
        #expect(
            ReedSolomon.correction(of: data[...], count: 10) == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
    }

    @Test("the SVG draws each dark module once, inside of the quiet zone, and has nothing that a policy forbids")
    func svg() throws {
        let code = try #require(QRCode(Array("otpauth://totp/Espalier:anna?secret=\"><script>".utf8)))
        let svg = code.svg
        #expect(svg.contains("viewBox=\"0 0 \(code.size + 8) \(code.size + 8)\""))
        #expect(svg.contains("<path fill=\"#fff\" d=\"M0 0h\(code.size + 8)v\(code.size + 8)H0z\"/>"))
        var drawn = Set<[Int]>()
        for run in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (x, y, width) = (try #require(Int(run.1)), try #require(Int(run.2)), try #require(Int(run.3)))
            #expect(run.3 == run.4)
            for column in x..<(x + width) {
                let isNew = drawn.insert([column - 4, y - 4]).inserted
                #expect(isNew)
            }
        }
        let dark = (0..<code.size).flatMap { y in (0..<code.size).filter { code.isDark(x: $0, y: y) }.map { [$0, y] } }
        #expect(drawn == Set(dark))
        for forbidden in ["script", "style", "href", "otpauth"] { #expect(!svg.contains(forbidden)) }
    }
}
