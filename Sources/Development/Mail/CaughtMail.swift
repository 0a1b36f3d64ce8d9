import Encoding
import Foundation

/// A caught mail. Its source is read by bytes. A part that cannot be decoded is shown as it is.
struct CaughtMail: Sendable {
    /// Counts the mails of this process.
    let number: Int
    let at: Date
    let sender: String
    let recipients: [String]
    let data: [UInt8]

    /// The whole mail as it arrived. Its lines end with a line feed.
    var source: String { String(decoding: data.filter { $0 != 0x0D }, as: UTF8.self) }

    var subject: String { Entity(data[...]).header("subject").map(EncodedWords.decode) ?? "" }

    var from: String { Entity(data[...]).header("from").map(EncodedWords.decode) ?? sender }

    /// The text of the first part of type `text/plain`, or of the whole mail without parts.
    var text: String {
        let mail = Entity(data[...])
        let parts = mail.parts
        return (parts.first { $0.isPlainText } ?? (parts.isEmpty ? mail : nil))?.text ?? ""
    }
}

/// A part of a mail: headers, an empty line, and a body (RFC 2045).
private struct Entity {
    private let headers: [(name: String, value: String)]
    private let body: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        var (headers, rest): ([(name: String, value: String)], ArraySlice<UInt8>) = ([], bytes)
        while !rest.isEmpty {
            let line = Self.takeLine(from: &rest)
            if line.isEmpty { break }
            // A line that starts with a blank continues the header before it.
            if line.first == 0x20 || line.first == 0x09, let last = headers.indices.last {
                headers[last].value += String(decoding: line, as: UTF8.self)
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = line[(colon + 1)...].drop { $0 == 0x20 }
            headers.append((String(decoding: line[..<colon], as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self)))
        }
        (self.headers, body) = (headers, rest)
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    private var type: String { header("content-type") ?? "text/plain" }
    var isPlainText: Bool { type.lowercased().utf8.starts(with: "text/plain".utf8) }

    /// The decoded body. Its lines end with a line feed.
    var text: String {
        let bytes =
            switch header("content-transfer-encoding")?.lowercased() {
            case "quoted-printable": QuotedPrintable.decode(body)
            case "base64": Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters).map { Array($0) } ?? Array(body)
            default: Array(body)
            }
        return String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
    }

    /// The parts of a `multipart/…`. There are at most 20.
    var parts: [Entity] {
        guard let boundary else { return [] }
        var (parts, current, rest): ([Entity], [UInt8]?, ArraySlice<UInt8>) = ([], nil, body)
        while !rest.isEmpty, parts.count < 20 {
            let line = Self.takeLine(from: &rest)
            guard line.starts(with: boundary) else {
                current?.append(contentsOf: line)
                current?.append(contentsOf: [0x0D, 0x0A])
                continue
            }
            // The end of the line before the boundary belongs to the boundary.
            if let current { parts.append(Entity(current.dropLast(2)[...])) }
            current = line.dropFirst(boundary.count).starts(with: "--".utf8) ? nil : []
        }
        return parts
    }

    /// With the two hyphens in front of it.
    private var boundary: [UInt8]? {
        let bytes = Array(type.utf8)
        let name = Array("boundary=".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else { return nil }
        let value = bytes[(start + name.count)...]
        let isQuoted = value.first == UInt8(ascii: "\"")
        let text = isQuoted ? value.dropFirst().prefix { $0 != UInt8(ascii: "\"") } : value.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        return text.isEmpty ? nil : Array("--".utf8) + text
    }

    /// Takes a line without its end.
    private static func takeLine(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
        var line = bytes[..<end]
        bytes = end == bytes.endIndex ? [] : bytes[(end + 1)...]
        if line.last == 0x0D { line.removeLast() }
        return line
    }
}

/// Decodes quoted-printable (RFC 2045, section 6.7).
private enum QuotedPrintable {
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, rest) = ([UInt8](), bytes)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            if rest.starts(with: [0x0D, 0x0A]) {
                rest = rest.dropFirst(2)
            } else if rest.count >= 2, let high = rest[rest.startIndex].hexDigitValue, let low = rest[rest.startIndex + 1].hexDigitValue {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

/// Decodes encoded words in UTF-8 and base64 (RFC 2047), which Espalier writes.
private enum EncodedWords {
    static func decode(_ text: String) -> String {
        var (result, isAfterWord) = ([UInt8](), false)
        for word in text.utf8.split(separator: 0x20, omittingEmptySubsequences: false) {
            let bytes = Array(word)
            let isWord = bytes.starts(with: "=?UTF-8?B?".utf8) && bytes.suffix(2).elementsEqual("?=".utf8) && bytes.count > 12
            let content = isWord ? Data(base64Encoded: Data(bytes.dropFirst(10).dropLast(2))) : nil
            // A blank between two words is not a part of the text.
            if !result.isEmpty, content == nil || !isAfterWord { result.append(0x20) }
            result += content.map { Array($0) } ?? bytes
            isAfterWord = content != nil
        }
        return String(decoding: result, as: UTF8.self)
    }
}
