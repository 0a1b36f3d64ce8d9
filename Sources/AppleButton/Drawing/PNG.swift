import CZlib

/// A PNG file (ISO/IEC 15948) of gray pixels with an alpha channel.
struct PNG {
    let width, height: Int
    /// Two bytes per pixel: gray and alpha. All colors of a button are grays, so this has half of the bytes of RGBA.
    let pixels: [UInt8]

    var bytes: [UInt8] {
        var bytes: [UInt8] = [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
        // 8 bits, gray with alpha, no interlace.
        bytes.appendChunk("IHDR", UInt32(width).bigEndianBytes + UInt32(height).bigEndianBytes + [8, 4, 0, 0, 0])
        bytes.appendChunk("IDAT", Self.compressed(filtered))
        bytes.appendChunk("IEND", [])
        return bytes
    }

    /// Each row as its difference to the row above (filter 2). Most of a button then is 0.
    private var filtered: [UInt8] {
        let length = 2 * width
        var output: [UInt8] = []
        output.reserveCapacity((length + 1) * height)
        pixels.withUnsafeBufferPointer { pixels in
            for row in 0..<height {
                output.append(2)
                for position in row * length..<(row + 1) * length {
                    output.append(row == 0 ? pixels[position] : pixels[position] &- pixels[position - length])
                }
            }
        }
        return output
    }

    private static func compressed(_ input: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(input.count))
        let output = [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
            let status = compress2(output.baseAddress!, &length, input, UInt(input.count), 6)
            precondition(status == Z_OK, "zlib has no memory")
            count = Int(length)
        }
        return output
    }
}

extension [UInt8] {
    fileprivate mutating func appendChunk(_ type: String, _ data: [UInt8]) {
        let content = Array(type.utf8) + data
        self += UInt32(data.count).bigEndianBytes + content
        self += UInt32(crc32(0, content, UInt32(content.count))).bigEndianBytes
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 24), UInt8(self >> 16 & 255), UInt8(self >> 8 & 255), UInt8(self & 255)] }
}
