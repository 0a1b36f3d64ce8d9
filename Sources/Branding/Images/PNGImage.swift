import CZlib

/// A PNG (W3C PNG Specification, third edition), written again with only the chunks that draw the picture.
///
/// Everything is checked that a decoder could stumble over: the order and the checksums of the chunks, the size that the header declares,
/// and the number of decompressed bytes. Metadata is dropped.
struct PNGImage {
    let bytes: [UInt8]

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The largest width and height in pixels.
    static let largestSide = 2048
    /// The largest decompressed picture, which is one of this width and height with 8 bits per channel. It bounds the work here and in a
    /// browser.
    static let mostBytes = 16 << 20

    private static let kept = ["PLTE", "tRNS", "gAMA", "sRGB"]
    private static let animated = ["acTL", "fcTL", "fdAT"]

    /// - Throws: `Logo.Refusal`.
    init(_ image: [UInt8]) throws(Logo.Refusal) {
        guard image.starts(with: Self.signature) else { throw .init("The image is not a PNG. Check the file and the `Content-Type`.") }
        var chunks = PNGChunks(image, from: Self.signature.count)
        guard let first = try chunks.next(), first.type == "IHDR" else { throw Self.damaged("It does not start with the chunk IHDR.") }
        let header = try PNGHeader(first.data)
        var kept: [PNGChunk] = [first]
        var pixels: [UInt8] = []
        var (hasPixels, isAfterPixels) = (false, false)
        while true {
            guard let chunk = try chunks.next() else { throw Self.damaged("It ends without the chunk IEND.") }
            if hasPixels, chunk.type != "IDAT" { isAfterPixels = true }
            switch chunk.type {
            case "IDAT":
                guard !isAfterPixels else { throw Self.damaged("Its chunks IDAT are not together.") }
                hasPixels = true
                pixels += chunk.data
                continue
            case "IEND":
                guard chunk.data.isEmpty else { throw Self.damaged("Its chunk IEND is not empty.") }
            case let type where Self.kept.contains(type):
                try header.check(chunk, after: kept, hasPixels: hasPixels)
                kept.append(chunk)
                continue
            case let type where Self.animated.contains(type):
                throw .init("The PNG is animated (chunk \(type)). Export a still image.")
            case let type where chunk.isCritical:
                throw Self.damaged("Its chunk \(type) is not allowed.")
            default: continue
            }
            break
        }
        guard chunks.isAtEnd else { throw Self.damaged("It has bytes after the chunk IEND.") }
        guard hasPixels else { throw Self.damaged("It has no chunk IDAT.") }
        guard header.color != .palette || kept.contains(where: { $0.type == "PLTE" }) else { throw Self.damaged("It has no palette.") }
        try header.checkPixels(pixels)
        bytes =
            Self.signature
            + (kept + [PNGChunk(type: "IDAT", data: pixels), PNGChunk(type: "IEND", data: [])]).flatMap(\.bytes)
    }

    static func damaged(_ detail: String) -> Logo.Refusal {
        .init("The PNG is damaged. \(detail) Export it again.")
    }
}

/// One chunk (section 5.3).
struct PNGChunk {
    let type: String
    let data: [UInt8]

    /// Whether a decoder must understand it (section 5.4).
    var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? true }

    /// The chunk with its length and its checksum.
    var bytes: [UInt8] {
        let content = Array(type.utf8) + data
        return Self.big(UInt32(data.count)) + content + Self.big(Self.checksum(content))
    }

    static func checksum(_ content: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: content.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) })
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// Reads the chunks of a PNG one after another, and checks the length and the checksum of each.
struct PNGChunks {
    private let image: [UInt8]
    private var position: Int

    init(_ image: [UInt8], from position: Int) {
        (self.image, self.position) = (image, position)
    }

    var isAtEnd: Bool { position == image.count }

    /// The next chunk. Nil at the end of the bytes.
    mutating func next() throws(Logo.Refusal) -> PNGChunk? {
        guard !isAtEnd else { return nil }
        let rest = image.count - position
        guard rest >= 12 else { throw PNGImage.damaged("It ends within a chunk.") }
        let length = Int(image.big(at: position))
        guard length <= rest - 12 else { throw PNGImage.damaged("A chunk is longer than the file.") }
        let content = Array(image[position + 4..<position + 8 + length])
        guard content.prefix(4).allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) })
        else { throw PNGImage.damaged("The type of a chunk is not four letters.") }
        guard PNGChunk.checksum(content) == image.big(at: position + 8 + length)
        else { throw PNGImage.damaged("The checksum of a chunk is wrong.") }
        position += 12 + length
        return PNGChunk(type: String(decoding: content.prefix(4), as: UTF8.self), data: Array(content.dropFirst(4)))
    }
}

extension [UInt8] {
    /// The number in four bytes, in network byte order.
    func big(at position: Int) -> UInt32 {
        self[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
