import Foundation

/// Reads parts of the server's JSON without a change. Decoded JSON loses the order of its members.
enum JSONText {
    /// The members of an object, each with its name, or the elements of a list. The text must be valid JSON.
    static func parts(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var (depth, start, isInString, isEscaped) = (0, 0, false, false)
        var parts: [String] = []
        func end(at position: Int) {
            let part = String(decoding: bytes[start..<position], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if !part.isEmpty { parts.append(part) }
            start = position + 1
        }
        for (position, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isInString = byte != UInt8(ascii: "\"")
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = position + 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 1 { end(at: position) }
                depth -= 1
            case UInt8(ascii: ","): if depth == 1 { end(at: position) }
            default: break
            }
        }
        return parts
    }

    /// The value of an object's member. Nil if the object has no member with this name.
    static func member(_ name: String, of text: String) -> String? {
        parts(of: text).lazy.map(split).first { $0.name == name }?.value
    }

    /// The object without one member.
    static func removing(_ name: String, from text: String) -> String {
        "{\(parts(of: text).filter { split($0).name != name }.joined(separator: ","))}"
    }

    /// The decoded name of a member, and its value.
    private static func split(_ part: String) -> (name: String?, value: String) {
        let bytes = Array(part.utf8)
        var end = 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < bytes.count else { return (nil, part) }
        let name = try? JSONDecoder().decode([String].self, from: Data("[".utf8 + bytes[...end] + "]".utf8)).first
        let value = bytes[(end + 1)...].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        return (name, String(decoding: value, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
