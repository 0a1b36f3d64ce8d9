import Foundation
import Testing

@testable import Branding

/// Logos that are PNGs, and files that attack who decodes them.
@Suite("PNG image")
struct PNGImageTests {
    private typealias PNG = Pictures.PNG

    @Test("every form of pixels is accepted, and the picture stays the same")
    func forms() throws {
        // 5 by 3 pixels: the lengths of lines for each color type and depth.
        for (color, depths) in [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16])] {
            let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color]!
            for depth in depths {
                let line = [UInt8(4)] + [UInt8](repeating: 0, count: (5 * channels * depth + 7) / 8)
                var png = PNG(width: 5, height: 3, depth: UInt8(depth), color: UInt8(color), pixels: line + line + line)
                if color == 3 { png = png.adding("PLTE", [1, 2, 3, 4, 5, 6]).adding("tRNS", [0, 255]) }
                #expect(try PNGImage(png.bytes).bytes == png.bytes, "color \(color), depth \(depth)")
            }
        }
    }

    @Test("an interlaced picture has the lines of its passes")
    func interlaced() throws {
        // 8 by 8 pixels of one byte: passes of 1, 1, 2x1, 2x2, 4x2, 4x4 and 8x4 pixels.
        let passes = [(1, 1), (1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (8, 4)]
        let pixels = passes.flatMap { columns, rows in
            Array(repeating: [UInt8(0)] + [UInt8](repeating: 9, count: columns), count: rows).flatMap(\.self)
        }
        let png = PNG(width: 8, height: 8, color: 0, interlace: 1, pixels: pixels)
        #expect(try PNGImage(png.bytes).bytes == png.bytes)
        // A picture of one pixel has only the first pass.
        #expect(throws: Never.self) { try PNGImage(PNG(width: 1, height: 1, color: 0, interlace: 1, pixels: [0, 9]).bytes) }
        #expect(throws: Logo.Refusal.self) { try PNGImage(PNG(width: 8, height: 8, color: 0, interlace: 1, pixels: pixels + [0]).bytes) }
    }

    @Test("metadata is dropped, and color data stays")
    func metadata() throws {
        let plain = PNG().adding("sRGB", [0]).adding("gAMA", Pictures.big(45455))
        let full = plain.adding("tEXt", Array("Author\0Ada <script>".utf8)).adding("eXIf", Array("MM\0*GPS".utf8), before: "IEND")
            .adding("iTXt", Array("XML:com.adobe.xmp\0".utf8)).adding("tIME", [0, 0, 0, 0, 0, 0, 0], before: "IDAT")
        #expect(try PNGImage(full.bytes).bytes == plain.bytes)
        // Several chunks of pixels become one.
        var split = PNG()
        let data = split.chunks[1].data
        split.chunks[1].data = Array(data.prefix(3))
        split.chunks.insert(("IDAT", Array(data.dropFirst(3))), at: 2)
        #expect(try PNGImage(split.bytes).bytes == PNG().bytes)
    }

    private static let attacks: [(String, [UInt8])] = [
        ("no bytes", []),
        ("only a signature", Array(PNG().bytes.prefix(8))),
        ("a JPEG", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]),
        ("HTML after the signature", Array(PNG().bytes.prefix(8)) + Array("<script>alert(1)</script>".utf8)),
        ("HTML after the end", PNG().bytes + Array("<script>alert(1)</script>".utf8)),
        ("one byte after the end", PNG().bytes + [0]),
        ("a ZIP after the end", PNG().bytes + [0x50, 0x4B, 3, 4]),
        ("cut in the middle", Array(PNG().bytes.dropLast(20))),
        ("cut in the last checksum", Array(PNG().bytes.dropLast(1))),
        ("without IEND", PNG().removing("IEND").bytes),
        ("without IDAT", PNG().removing("IDAT").bytes),
        ("without IHDR", PNG().removing("IHDR").bytes),
        ("IHDR twice", PNG().adding("IHDR", PNG().chunks[0].data).bytes),
        ("another chunk first", PNG().adding("tEXt", [], before: "IHDR").bytes),
        ("IEND with data", PNG().replacing("IEND", [0]).bytes),
        ("chunks of pixels apart", PNG().adding("tEXt", [], before: "IEND").adding("IDAT", [], before: "IEND").bytes),
        ("an unknown critical chunk", PNG().adding("ABCD", []).bytes),
        ("animated", PNG().adding("acTL", Pictures.big(2) + Pictures.big(0)).bytes),
        ("frames of an animation", PNG().adding("fdAT", Pictures.big(1), before: "IEND").bytes),
        ("a wrong checksum", Array(PNG().bytes.dropLast(4)) + [0, 0, 0, 0]),
        ("a chunk of 2 GB", PNG().start + [0x7F, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + [0, 0, 0, 0]),
        ("a chunk with a negative length", PNG().start + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + [0, 0, 0, 0]),
        ("a type that is not letters", PNG().start + Pictures.chunk("ID\0T", []) + Array(PNG().bytes.dropFirst(33))),
        ("no width", PNG(width: 0).bytes),
        ("2049 pixels wide", PNG(width: 2049, height: 1).bytes),
        ("two billion pixels high", PNG().replacing("IHDR", Pictures.big(1) + [0x7F, 0xFF, 0xFF, 0xFF, 8, 6, 0, 0, 0]).bytes),
        ("4 GB wide", PNG().replacing("IHDR", [0xFF, 0xFF, 0xFF, 0xFF] + Pictures.big(1) + [8, 6, 0, 0, 0]).bytes),
        ("a depth that the color type lacks", PNG(depth: 4).bytes),
        ("an unknown color type", PNG(color: 5).bytes),
        ("an unknown interlace method", PNG(interlace: 2).bytes),
        ("an unknown compression", PNG().replacing("IHDR", Pictures.big(3) + Pictures.big(2) + [8, 6, 1, 0, 0]).bytes),
        ("an unknown filter method", PNG().replacing("IHDR", Pictures.big(3) + Pictures.big(2) + [8, 6, 0, 1, 0]).bytes),
        ("a header of 12 bytes", PNG().replacing("IHDR", Array(PNG().chunks[0].data.prefix(12))).bytes),
        // 60 MB of zeros in 60 KB, for a header of 3 by 2 pixels.
        ("a bomb", PNG(pixels: [UInt8](repeating: 0, count: 60_000_000)).bytes),
        ("one byte too many", PNG(pixels: [UInt8](repeating: 0, count: 27)).bytes),
        ("one byte too few", PNG(pixels: [UInt8](repeating: 0, count: 25)).bytes),
        ("no pixels", PNG(pixels: []).bytes),
        ("pixels that are not compressed", PNG().replacing("IDAT", [UInt8](repeating: 0, count: 26)).bytes),
        ("bytes after the compressed pixels", PNG().replacing("IDAT", PNG().chunks[1].data + [1, 2, 3]).bytes),
        ("compressed pixels without an end", PNG().replacing("IDAT", Array(PNG().chunks[1].data.dropLast(6))).bytes),
        ("a wrong checksum of the pixels", PNG().replacing("IDAT", Array(PNG().chunks[1].data.dropLast()) + [7]).bytes),
        ("an unknown filter of a line", PNG(pixels: [5] + [UInt8](repeating: 0, count: 12) + [0] + [UInt8](repeating: 0, count: 12)).bytes),
        ("a palette that is missing", PNG(color: 3, pixels: [0, 0, 0, 0, 0, 0, 0, 0]).bytes),
        ("a palette of 257 colors", PNG().adding("PLTE", [UInt8](repeating: 0, count: 771)).bytes),
        ("a palette of 4 bytes", PNG().adding("PLTE", [0, 0, 0, 0]).bytes),
        ("a palette after the pixels", PNG().adding("PLTE", [0, 0, 0], before: "IEND").bytes),
        ("two palettes", PNG().adding("PLTE", [0, 0, 0]).adding("PLTE", [0, 0, 0]).bytes),
        (
            "more transparent colors than colors",
            PNG(color: 3, pixels: [0, 0, 0, 0, 0, 0, 0, 0]).adding("PLTE", [0, 0, 0]).adding("tRNS", [0, 0]).bytes
        ),
        ("transparent colors besides alpha", PNG().adding("tRNS", [0, 0]).bytes),
        ("an unknown sRGB intent", PNG().adding("sRGB", [4]).bytes),
    ]

    @Test("a damaged or hostile file is refused, with the next step", arguments: attacks.indices)
    func refuses(_ index: Int) throws {
        let (name, bytes) = Self.attacks[index]
        let refusal = #expect(throws: Logo.Refusal.self, "\(name)") { try PNGImage(Array(bytes)) }
        #expect(refusal?.detail.hasSuffix(".") == true, "\(name)")
    }

    @Test("no file with one other byte is accepted as another picture, and none traps")
    func everyByte() throws {
        let bytes = PNG().adding("gAMA", Pictures.big(45455)).bytes
        for position in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where bytes[position] != value {
                var other = bytes
                other[position] = value
                // Each chunk has a checksum.
                #expect(throws: Logo.Refusal.self, "byte \(position)") { try PNGImage(other) }
            }
        }
    }

    @Test("a picture of more than 16 MiB is refused before it is decompressed, with the next step")
    func decompressed() throws {
        for (color, height) in [(2, 1366), (4, 2048), (6, 1025)] as [(UInt8, Int)] {
            let png = PNG(width: 2048, height: height, depth: 16, color: color, pixels: [])
            let refusal = #expect(throws: Logo.Refusal.self) { try PNGImage(png.bytes) }
            let isExpected = refusal?.detail.contains("16 MiB") == true
            // Two channels of 16 bits are 16 MiB.
            #expect(isExpected == (color != 4), "\(refusal?.detail ?? "")")
        }
    }

    @Test("the largest picture is accepted")
    func largest() throws {
        let line = [UInt8](repeating: 0, count: 1 + 2048 * 4)
        let png = PNG(width: 2048, height: 2048, pixels: Array(repeating: line, count: 2048).flatMap(\.self))
        #expect(try PNGImage(png.bytes).bytes == png.bytes)
    }
}
