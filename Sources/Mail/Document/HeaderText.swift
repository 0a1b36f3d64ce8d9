import Foundation

/// Text of people in a header. Headers are ASCII, so other letters are encoded words (RFC 2047). A line with an encoded word has up to 76
/// bytes, with the name of the header.
enum HeaderText {
    /// A subject.
    static func unstructured(_ text: String, in header: String) -> String {
        isPlain(text) ? text : words(text, in: header)
    }

    /// A name in front of an address.
    static func phrase(_ text: String, in header: String) -> String {
        guard isPlain(text) else { return words(text, in: header) }
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "\""))
        return String(decoding: quoted, as: UTF8.self)
    }

    /// A short line of visible ASCII that no reader takes for an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= 60, bytes.first != 0x20, bytes.last != 0x20, bytes.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return false }
        return !zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "=") && $1 == UInt8(ascii: "?") }
    }

    /// Encoded words in lines of their own. No scalar is in two of them.
    private static func words(_ text: String, in header: String) -> String {
        var words: [[UInt8]] = [[]]
        // The name, the colon and a blank.
        var room = longestWord(after: header.utf8.count + 2)
        for scalar in text.unicodeScalars {
            let bytes = Array(UTF8.encode(scalar)!)
            if words[words.count - 1].count + bytes.count > room {
                words.append([])
                room = longestWord(after: 1)
            }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// The most bytes of an encoded word in a line of 76 bytes. `=?UTF-8?B?` and `?=` are 12 of them, and base64 has 4 for 3.
    private static func longestWord(after used: Int) -> Int { (76 - used - 12) / 4 * 3 }
}
