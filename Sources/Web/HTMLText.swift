extension String {
    /// The text as HTML, for an element's content or a quoted attribute: a parser reads exactly this text and nothing else.
    ///
    /// It works by byte. By `Character`, U+0600 before `<` or U+0301 after `"` makes one character that is in no table of
    /// characters to escape. A parser of HTML reads scalars and sees the `<`.
    package var escapedForHTML: String {
        var html: [UInt8] = []
        html.reserveCapacity(utf8.count + utf8.count / 8)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "&"): html += "&amp;".utf8
            case UInt8(ascii: "<"): html += "&lt;".utf8
            case UInt8(ascii: ">"): html += "&gt;".utf8
            case UInt8(ascii: "\""): html += "&quot;".utf8
            case UInt8(ascii: "'"): html += "&#39;".utf8
            // A parser makes a line feed of it (HTML, section 13.2.3.5).
            case 0x0D: html += "&#13;".utf8
            // HTML cannot hold it. A parser drops it or replaces it by this character.
            case 0: html += "\u{FFFD}".utf8
            default: html.append(byte)
            }
        }
        return String(decoding: html, as: UTF8.self)
    }
}
