import CZlib

/// Compresses a stream as gzip (RFC 1952), without a time or a name in it: the same bytes always come to the same bytes.
package final class Gzip {
    // zlib remembers where it lies.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    package init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, and 16 for gzip's frame. Level 1: ids are random, and a better level costs five times the time for nothing.
        let status = deflateInit2_(
            stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// - Returns: what is ready of the compressed stream, which may be nothing; with `isLast`, all that was left.
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
