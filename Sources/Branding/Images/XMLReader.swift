import Encoding

/// Reads XML 1.0 byte by byte, only as far as a picture needs it.
///
/// It has no document types, no entities except the five and numeric ones, and no processing instructions. So no text grows, and nothing is
/// loaded. Names are ASCII. Each limit ends the reading.
struct XMLReader {
    struct Attribute {
        let name: String
        /// The value with its references replaced.
        let value: String

        var hasPrefix: Bool { name.utf8.contains(UInt8(ascii: ":")) }
    }

    enum Event {
        case start(name: String, attributes: [Attribute], isEmpty: Bool)
        case end(name: String)
        case text(String)
        case over
    }

    private static let mostAttributes = 64
    private static let longestName = 64

    private let bytes: [UInt8]
    private var position = 0

    /// - Throws: `Logo.Refusal` for bytes that are not UTF-8, or that contain control characters.
    init(_ bytes: [UInt8]) throws(Logo.Refusal) {
        // The byte order mark.
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: self.bytes, as: UTF8.self)
        else { throw .init("The SVG is not text in UTF-8. Export it again with this encoding.") }
        guard self.bytes.allSatisfy({ $0 >= 0x20 || Self.isBlank($0) }) else { throw .init("The SVG has control characters. Remove them.") }
        guard !text.unicodeScalars.contains(where: { $0.value == 0xFFFE || $0.value == 0xFFFF })
        else { throw .init("The SVG has U+FFFE or U+FFFF, which are not characters of XML. Remove them.") }
        try skipDeclaration()
    }

    /// The number of the current line, for messages.
    var line: Int { bytes[..<position].count { $0 == 0x0A } + 1 }

    /// The next event. Comments are skipped.
    mutating func next() throws(Logo.Refusal) -> Event {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else { return .text(try text()) }
            if skip("<!--") {
                try skipThrough("-->")
            } else if isAt("<!DOCTYPE") || isAt("<!doctype") {
                throw refusal("A document type is not allowed. Remove `<!DOCTYPE …>`")
            } else if isAt("<![CDATA[") {
                throw refusal("A CDATA section is not allowed. Remove it")
            } else if isAt("<!") {
                throw refusal("A declaration is not allowed. Remove `<!…>`")
            } else if isAt("<?") {
                throw refusal("A processing instruction is not allowed. Remove `<?…?>`")
            } else if skip("</") {
                let name = try name()
                skipBlanks()
                guard skip(">") else { throw malformed("an end tag is not closed") }
                return .end(name: name)
            } else {
                position += 1
                return try start()
            }
        }
        return .over
    }

    /// - Parameter detail: a sentence without its full stop.
    func refusal(_ detail: String) -> Logo.Refusal {
        .init("\(detail). (Line \(line) of the SVG.)")
    }

    func malformed(_ detail: String) -> Logo.Refusal {
        refusal("The SVG is not well-formed XML: \(detail). Export it again")
    }

    // MARK: Parts

    /// Skips `<?xml version="1.0" …?>` at the start.
    private mutating func skipDeclaration() throws(Logo.Refusal) {
        guard isAt("<?xml"), position + 5 < bytes.count, Self.isBlank(bytes[position + 5]) else { return }
        let start = position
        try skipThrough("?>")
        let text = String(decoding: bytes[start..<position], as: UTF8.self).asciiLowercased
        guard let encoding = text.parts(at: " ").first(where: { $0.begins(with: "encoding=") }) else { return }
        guard encoding.dropFirst(9).dropFirst().begins(with: "utf-8") else { throw refusal("The encoding must be UTF-8. Export it again") }
    }

    private mutating func start() throws(Logo.Refusal) -> Event {
        let name = try name()
        var attributes: [Attribute] = []
        while true {
            let hasBlank = skipBlanks()
            if skip("/>") { return .start(name: name, attributes: attributes, isEmpty: true) }
            if skip(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
            guard hasBlank else { throw malformed("a blank is missing in `<\(name)>`") }
            let attribute = try self.name()
            skipBlanks()
            guard skip("=") else { throw malformed("`\(attribute)` has no value") }
            skipBlanks()
            guard !attributes.contains(where: { $0.name.isSame(as: attribute) }) else { throw malformed("`\(attribute)` occurs twice") }
            guard attributes.count < Self.mostAttributes
            else { throw refusal("`<\(name)>` has more than \(Self.mostAttributes) attributes. Remove some") }
            attributes.append(Attribute(name: attribute, value: try value()))
        }
    }

    private mutating func name() throws(Logo.Refusal) -> String {
        let start = position
        while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
        let name = bytes[start..<position]
        guard let first = name.first, first == UInt8(ascii: "_") || Self.isLetter(first), name.count <= Self.longestName,
            name.last != UInt8(ascii: ":"), name.count(where: { $0 == UInt8(ascii: ":") }) <= 1
        else { throw malformed("a name is missing or invalid") }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func value() throws(Logo.Refusal) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw malformed("a value has no quotes") }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != quote {
            switch bytes[position] {
            case UInt8(ascii: "<"): throw malformed("a value contains <")
            case UInt8(ascii: "&"): value += try reference()
            case let byte:
                value.append(Self.isBlank(byte) ? 0x20 : byte)
                position += 1
            }
        }
        guard position < bytes.count else { throw malformed("a value has no end") }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text() throws(Logo.Refusal) -> String {
        var text: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            if bytes[position] == UInt8(ascii: "&") {
                text += try reference()
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that a reference stands for: `&amp;`, `&#65;` or `&#x41;`.
    private mutating func reference() throws(Logo.Refusal) -> [UInt8] {
        let rest = bytes[position...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw malformed("`&` begins no reference") }
        let name = String(decoding: rest[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "lt": return Array("<".utf8)
        case "gt": return Array(">".utf8)
        case "amp": return Array("&".utf8)
        case "quot": return Array("\"".utf8)
        case "apos": return Array("'".utf8)
        default: break
        }
        guard name.begins(with: "#") else {
            throw refusal("The entity `&\(name.filter(\.isASCII));` is not allowed. Write the text itself")
        }
        let digits = name.dropFirst()
        let number =
            digits.begins(with: "x")
            ? Self.number(digits.dropFirst(), radix: 16) : Self.number(digits, radix: 10)
        guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value >= 0x20 || Self.isBlank(UInt8(scalar.value)),
            scalar.value != 0xFFFE, scalar.value != 0xFFFF, scalar.value != 0x7F
        else { throw malformed("`&\(name.filter(\.isASCII));` is not a character") }
        return Array(String(scalar).utf8)
    }

    /// A number without a sign.
    private static func number(_ digits: Substring, radix: Int) -> UInt32? {
        digits.utf8.first == UInt8(ascii: "+") || digits.utf8.first == UInt8(ascii: "-") ? nil : UInt32(digits, radix: radix)
    }

    // MARK: Bytes

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private mutating func skipThrough(_ text: StaticString) throws(Logo.Refusal) {
        while position < bytes.count {
            if skip(text) { return }
            position += 1
        }
        throw malformed("`\(text)` is missing")
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
        return position > start
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isInName(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "_-.:".utf8.contains(byte)
    }
}
