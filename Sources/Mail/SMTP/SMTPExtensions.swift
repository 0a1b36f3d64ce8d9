/// The extensions in the reply to EHLO (RFC 5321, section 4.1.1.1).
struct SMTPExtensions: Sendable {
    var hasStartTLS = false
    var has8BitMIME = false
    var hasUTF8 = false
    /// The longest mail in bytes; nil without a limit.
    var size: Int?
    /// The ways to authenticate, in upper case.
    var authentication: Set<String> = []

    init(_ reply: SMTPReply) {
        // The first line is a greeting.
        for line in reply.lines.dropFirst() {
            let words = line.split(separator: 0x20).map { String(decoding: $0.map(\.asciiUppercased), as: UTF8.self) }
            guard let name = words.first else { continue }
            switch name {
            case "STARTTLS": hasStartTLS = true
            case "8BITMIME": has8BitMIME = true
            case "SMTPUTF8": hasUTF8 = true
            case "SIZE": size = words.dropFirst().first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            case "AUTH": authentication.formUnion(words.dropFirst())
            default: continue
            }
        }
    }
}

extension UInt8 {
    fileprivate var asciiUppercased: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & 0xDF : self }
}
