import CZlib

/// Compresses a stream as gzip (RFC 1952), without a time or a name. So the same bytes always have the same result.
package final class Gzip {
    // zlib stores the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    package init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, plus 16 for gzip's frame. Level 1 is enough, because IDs are random: a higher level takes five times as long
        // without a smaller result.
        let status = deflateInit2_(
            stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the next piece of the stream.
    /// - Returns: the available compressed bytes, possibly none. With `isLast`, all remaining bytes.
    package func compress(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        var input = bytes
        input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let count = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    return buffer.count - Int(stream.pointee.avail_out)
                }
                output += buffer[..<count]
            } while stream.pointee.avail_out == 0
        }
        return output
    }
}
