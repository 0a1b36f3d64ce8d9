/// A reply of a mail server: a code, and one or more lines of text (RFC 5321, section 4.2).
struct SMTPReply: Sendable, Equatable {
    let code: Int
    /// The text of each line, without the code. It is read as bytes and never shown.
    let lines: [[UInt8]]

    /// Servers send up to 512 bytes per line. Some send more.
    static let longestLine = 2048
    static let mostLines = 100
    /// The most bytes of one reply, and of the bytes that arrive before they are read.
    static let longest = 32_768

    /// A server sends bytes that are not a reply.
    struct Malformed: Error {}

    /// Takes the first reply from the bytes.
    /// - Returns: Nil if the reply is not complete yet.
    /// - Throws: `Malformed`
    static func take(from bytes: inout [UInt8]) throws(Malformed) -> SMTPReply? {
        var (lines, start) = ([[UInt8]](), 0)
        var code: Int?
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            var line = bytes[start..<end]
            if line.last == 0x0D { line.removeLast() }
            guard line.count <= longestLine, lines.count < mostLines, let number = Self.code(line), code == nil || code == number
            else { throw Malformed() }
            code = number
            lines.append(Array(line.dropFirst(4)))
            start = end + 1
            let separator = line.dropFirst(3).first
            guard separator == UInt8(ascii: "-") else {
                guard separator == nil || separator == UInt8(ascii: " ") else { throw Malformed() }
                bytes.removeFirst(start)
                return SMTPReply(code: number, lines: lines)
            }
        }
        guard bytes.count - start <= longestLine, bytes.count <= longest, lines.count < mostLines else { throw Malformed() }
        return nil
    }

    private static func code(_ line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (200...599).contains(code) ? code : nil
    }
}
