extension String {
    /// The text as HTML, for the content of an element or a quoted attribute. A parser reads exactly this text.
    ///
    /// It works by byte. By `Character`, U+0600 before `<` or U+0301 after `"` makes one character, which is not in any
    /// table of characters to escape. But an HTML parser reads scalars and sees the `<`.
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
            // A parser would turn it into a line feed (HTML, section 13.2.3.5).
            case 0x0D: html += "&#13;".utf8
            // HTML cannot contain NUL. A parser drops it or replaces it with this character.
            case 0: html += "\u{FFFD}".utf8
            default: html.append(byte)
            }
        }
        return String(decoding: html, as: UTF8.self)
    }
}
