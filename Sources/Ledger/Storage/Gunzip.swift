import CZlib

/// Decompresses a gzip stream (RFC 1952) that `Gzip` has written.
final class Gunzip {
    struct Damaged: Error {}

    // zlib stores the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    /// Whether the end was read with the right checksum.
    private(set) var isOver = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next piece of the stream.
    /// - Throws: `Damaged`, also for bytes after the end.
    func decompress(_ bytes: [UInt8]) throws(Damaged) -> [UInt8] {
        var (output, input): ([UInt8], [UInt8]) = ([], bytes)
        var isSound = !isOver || bytes.isEmpty
        input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            while isSound, !isOver {
                let (count, status) = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    let status = inflate(stream, Z_NO_FLUSH)
                    return (buffer.count - Int(stream.pointee.avail_out), status)
                }
                output += buffer[..<count]
                isOver = status == Z_STREAM_END
                // Z_BUF_ERROR means that zlib needs more bytes than these.
                isSound = status == Z_OK || status == Z_BUF_ERROR || isOver && stream.pointee.avail_in == 0
                if status == Z_BUF_ERROR || stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { break }
            }
        }
        guard isSound else { throw Damaged() }
        return output
    }
}
