import CZlib

/// The size and the form of a PNG's pixels (PNG Specification, section 11.2.1).
struct PNGHeader {
    enum ColorType: UInt8 {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayWithAlpha = 4
        case rgbWithAlpha = 6

        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayWithAlpha: 2
            case .rgb: 3
            case .rgbWithAlpha: 4
            }
        }

        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayWithAlpha, .rgbWithAlpha: [8, 16]
            }
        }
    }

    let width, height, depth: Int
    let color: ColorType
    let isInterlaced: Bool

    init(_ data: [UInt8]) throws(Logo.Refusal) {
        guard data.count == 13 else { throw PNGImage.damaged("Its chunk IHDR does not have 13 bytes.") }
        let (width, height) = (data.big(at: 0), data.big(at: 4))
        let sides = 1...UInt32(PNGImage.largestSide)
        guard sides.contains(width), sides.contains(height) else {
            throw .init(
                """
                The PNG has \(width) by \(height) pixels. A logo has 1 to \(PNGImage.largestSide) pixels in each direction. Resize it.
                """)
        }
        guard let color = ColorType(rawValue: data[9]), color.depths.contains(Int(data[8])), data[10] == 0, data[11] == 0, data[12] <= 1
        else { throw PNGImage.damaged("Its chunk IHDR has an unknown form of pixels.") }
        (self.width, self.height, depth, self.color, isInterlaced) = (Int(width), Int(height), Int(data[8]), color, data[12] == 1)
        let bitsOfPixel = color.channels * depth
        guard self.width * self.height * bitsOfPixel <= PNGImage.mostBytes * 8 else {
            throw .init(
                """
                The PNG has \(width) by \(height) pixels of \(bitsOfPixel) bits, which are more than 16 MiB. Resize it, or export it with \
                8 bits per channel.
                """)
        }
    }

    /// Checks the place and the length of a chunk that is kept (section 5.6).
    func check(_ chunk: PNGChunk, after earlier: [PNGChunk], hasPixels: Bool) throws(Logo.Refusal) {
        let palette = earlier.first { $0.type == "PLTE" }
        guard !hasPixels, !earlier.contains(where: { $0.type == chunk.type })
        else { throw PNGImage.damaged("Its chunk \(chunk.type) is misplaced or occurs twice.") }
        let count = chunk.data.count
        let isSound: Bool =
            switch chunk.type {
            case "PLTE":
                count > 0 && count % 3 == 0 && count / 3 <= (color == .palette ? 1 << depth : 256) && color != .gray
                    && color != .grayWithAlpha && !earlier.contains { $0.type == "tRNS" }
            case "tRNS":
                switch color {
                case .gray: count == 2
                case .rgb: count == 6
                case .palette: count > 0 && count <= (palette?.data.count ?? 0) / 3
                case .grayWithAlpha, .rgbWithAlpha: false
                }
            case "gAMA": count == 4 && palette == nil && chunk.data.big(at: 0) > 0
            default: count == 1 && palette == nil && chunk.data[0] <= 3
            }
        guard isSound else { throw PNGImage.damaged("Its chunk \(chunk.type) has an invalid length, value or place.") }
    }

    /// The lengths of the lines in bytes, each with the byte of its filter, and the number of such lines. An interlaced image has up to
    /// seven passes (section 8.1).
    private var lines: [(length: Int, count: Int)] {
        let passes =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)] : [(0, 0, 1, 1)]
        return passes.compactMap { left, top, across, down in
            let (columns, rows) = ((width - left + across - 1) / across, (height - top + down - 1) / down)
            guard columns > 0, rows > 0 else { return nil }
            return (1 + (columns * color.channels * depth + 7) / 8, rows)
        }
    }

    /// Decompresses the pixels piece by piece. They must have exactly the size of the header, and each line a known filter.
    ///
    /// So a decoder needs no more memory than the header says, and the work here ends with the first byte too many.
    func checkPixels(_ compressed: [UInt8]) throws(Logo.Refusal) {
        var lines = PNGLines(lines)
        var isSound = true
        let end = Inflate.run(compressed) { piece in
            isSound = lines.take(piece)
            return isSound
        }
        guard isSound else { throw PNGImage.damaged("Its pixels do not match the size in its header.") }
        guard end == .complete, lines.isComplete else { throw PNGImage.damaged("Its pixels cannot be decompressed.") }
    }
}

/// Follows the lines of a PNG in its decompressed bytes.
private struct PNGLines {
    private var rest: [(length: Int, count: Int)]
    /// The bytes that the current line still has.
    private var left = 0

    init(_ lines: [(length: Int, count: Int)]) {
        rest = lines.reversed()
    }

    var isComplete: Bool { left == 0 && rest.isEmpty }

    /// Whether the bytes fit.
    mutating func take(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        while position < piece.count {
            if left == 0 {
                // The filter types of section 9.2.
                guard let next = rest.popLast(), piece[position] <= 4 else { return false }
                left = next.length
                if next.count > 1 { rest.append((next.length, next.count - 1)) }
            }
            let step = min(left, piece.count - position)
            left -= step
            position += step
        }
        return true
    }
}

/// Decompresses a zlib stream (RFC 1950).
private enum Inflate {
    enum End { case complete, damaged, stopped }

    /// - Parameter take: Gets each piece, and returns whether to continue.
    static func run(_ compressed: [UInt8], _ take: (UnsafeBufferPointer<UInt8>) -> Bool) -> End {
        // zlib stores the address of this structure, so it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory")
        defer {
            inflateEnd(stream)
            stream.deallocate()
        }
        var (input, piece) = (compressed, [UInt8](repeating: 0, count: 1 << 16))
        return input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            while true {
                let (status, isTaken) = piece.withUnsafeMutableBufferPointer { piece in
                    stream.pointee.next_out = piece.baseAddress
                    stream.pointee.avail_out = UInt32(piece.count)
                    let status = inflate(stream, Z_NO_FLUSH)
                    let count = piece.count - Int(stream.pointee.avail_out)
                    return (status, take(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(piece)[..<count])))
                }
                guard isTaken else { return .stopped }
                if status == Z_STREAM_END { return stream.pointee.avail_in == 0 ? .complete : .damaged }
                // Z_BUF_ERROR: the stream is not over, but the bytes are.
                guard status == Z_OK else { return .damaged }
            }
        }
    }
}
