/// The bytes of a mail between DATA and its end.
enum SMTPData {
    /// Doubles a dot at the start of a line, and ends with a line of one dot (RFC 5321, section 4.5.2). Each CR or LF becomes CRLF: a server
    /// that takes a single LF for the end of a line could otherwise see the end of the mail earlier, and commands after it.
    static func stuffed(_ document: [UInt8]) -> [UInt8] {
        var (bytes, rest, isStart) = ([UInt8](), document[...], true)
        bytes.reserveCapacity(document.count + document.count / 50 + 5)
        while let byte = rest.popFirst() {
            if byte == 0x0D || byte == 0x0A {
                if byte == 0x0D, rest.first == 0x0A { rest.removeFirst() }
                bytes += [0x0D, 0x0A]
                isStart = true
                continue
            }
            if isStart, byte == UInt8(ascii: ".") { bytes.append(byte) }
            bytes.append(byte)
            isStart = false
        }
        return bytes + (isStart ? [] : [0x0D, 0x0A]) + ".\r\n".utf8
    }
}
