import CZlib

/// Takes a gzip stream (RFC 1952) apart, as `Gzip` put it together.
final class Gunzip {
    struct Damaged: Error {}

    // zlib remembers where it lies.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    /// Whether the end has come, with the right sum over all of it.
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

    /// - Throws: `Damaged`, also for what stands behind the end.
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
                // Z_BUF_ERROR: it wants more than there is here.
                isSound = status == Z_OK || status == Z_BUF_ERROR || isOver && stream.pointee.avail_in == 0
                if status == Z_BUF_ERROR || stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { break }
            }
        }
        guard isSound else { throw Damaged() }
        return output
    }
}
