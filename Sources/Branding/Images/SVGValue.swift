import Encoding

/// The values of attributes and properties in an SVG: numbers, colors, keywords, transforms, and `url(#id)` of the same file.
///
/// One small grammar serves all of them. It has no colon, backslash, quote, `@` or comment, so a value names no other file, and CSS
/// reads it as it is written.
enum SVGValue {
    private static let functions = [
        "matrix", "translate", "translatex", "translatey", "scale", "scalex", "scaley", "rotate", "skewx", "skewy", "rgb", "rgba", "hsl",
        "hsla",
    ]

    static func isID(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || first == UInt8(ascii: "_"), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
    }

    /// The number in a text. `Double` also reads `0x1p4`, `inf` and `nan`, which are not numbers in an SVG.
    static func number(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Whether a value is in the grammar.
    /// - Parameter references: Gets the IDs that the value refers to.
    static func isSafe(_ value: some StringProtocol, _ references: inout [String]) -> Bool {
        var rest = Substring(value).utf8[...]
        var word: [UInt8] = []
        while let byte = rest.popFirst() {
            if isWord(byte) {
                word.append(byte | (isLetter(byte) ? 0x20 : 0))
                continue
            }
            if byte == UInt8(ascii: "(") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return false }
                let content = rest[..<end]
                let name = String(decoding: word, as: UTF8.self)
                if name.isSame(as: "url") {
                    guard let id = reference(Substring(content)) else { return false }
                    references.append(id)
                } else {
                    guard functions.has(name), content.allSatisfy({ isWord($0) || isSeparator($0) }) else { return false }
                }
                rest = rest[end...].dropFirst()
            } else if !isSeparator(byte) {
                return false
            }
            word = []
        }
        return true
    }

    /// The declarations of a `style` attribute as they are written, or nil. Properties of editors are left out.
    /// - Parameter references: Gets the IDs that the values refer to.
    static func style(_ text: String, _ references: inout [String]) -> String? {
        var written: [String] = []
        for declaration in text.parts(at: ";") where !declaration.withoutBlanks.isEmpty {
            let parts = declaration.parts(at: ":", atMost: 2, includingEmpty: true).map(\.withoutBlanks)
            guard parts.count == 2 else { return nil }
            let property = parts[0].asciiLowercased
            if property.begins(with: "-inkscape-") || property.isSame(as: "enable-background") { continue }
            guard SVGNames.presentation.contains(property), isSafe(parts[1], &references) else { return nil }
            written.append("\(property):\(parts[1])")
        }
        return written.joined(separator: ";")
    }

    /// The ID in the parentheses of `url(#id)`, with or without quotes.
    private static func reference(_ content: Substring) -> String? {
        var text = content.withoutBlanks
        // One pair only: a quote within quotes is a part of the name.
        if let quote = text.utf8.first, "\"'".utf8.contains(quote), text.utf8.count > 1, text.utf8.last == quote {
            text = text.dropFirst().dropLast()
        }
        guard text.begins(with: "#"), isID(text.dropFirst()) else { return nil }
        return String(text.dropFirst())
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { " .,%#+".utf8.contains(byte) }
}
