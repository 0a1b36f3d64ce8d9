import CZlib

/// The pixels of a PNG file, read without the code of the server.
struct PNGPixels: Equatable {
    let width, height: Int
    /// Gray and alpha of each pixel, row by row.
    let bytes: [UInt8]

    struct Invalid: Error {
        let reason: String
    }

    init(_ file: [UInt8]) throws {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw Invalid(reason: "not a PNG") }
        var chunks: [(type: String, data: [UInt8])] = []
        var position = 8
        while position < file.count {
            let length = Self.number(file[position..<position + 4])
            let content = Array(file[position + 4..<position + 8 + length])
            let check = Self.number(file[position + 8 + length..<position + 12 + length])
            guard Int(crc32(0, content, UInt32(content.count))) == check else { throw Invalid(reason: "wrong CRC") }
            chunks.append((String(decoding: content.prefix(4), as: UTF8.self), Array(content.dropFirst(4))))
            position += 12 + length
        }
        guard chunks.map(\.type) == ["IHDR", "IDAT", "IEND"] else { throw Invalid(reason: "chunks \(chunks.map(\.type))") }
        let header = chunks[0].data
        guard header.dropFirst(8) == [8, 4, 0, 0, 0] else { throw Invalid(reason: "not 8 bits of gray with alpha") }
        (width, height) = (Self.number(header[..<4]), Self.number(header[4..<8]))
        let length = 2 * width
        var rows = [UInt8](repeating: 0, count: (length + 1) * height)
        var count = UInt(rows.count)
        guard uncompress(&rows, &count, chunks[1].data, UInt(chunks[1].data.count)) == Z_OK, Int(count) == rows.count
        else { throw Invalid(reason: "wrong data") }
        var pixels: [UInt8] = []
        for row in 0..<height {
            let filter = rows[row * (length + 1)]
            guard filter == 0 || filter == 2 else { throw Invalid(reason: "filter \(filter)") }
            for column in 0..<length {
                let above = filter == 2 && row > 0 ? pixels[(row - 1) * length + column] : 0
                pixels.append(rows[row * (length + 1) + 1 + column] &+ above)
            }
        }
        bytes = pixels
    }

    func gray(_ x: Int, _ y: Int) -> UInt8 { bytes[2 * (y * width + x)] }
    func alpha(_ x: Int, _ y: Int) -> UInt8 { bytes[2 * (y * width + x) + 1] }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
