import Encoding
import Foundation
import Testing

@testable import Web

/// Markup characters stay text, next to any character. `script/check-browser` tests whole pages with Chromium's parser.
@Suite("Text in HTML")
struct HTMLTextTests {
    static let markup: [Unicode.Scalar] = ["<", ">", "\"", "'", "&"]

    /// All scalars that Swift joins with a `<` before or after them into one `Character`: the prepending, combining and joining
    /// scalars of this version of Unicode.
    static let joining: [Unicode.Scalar] = (0x80...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
        var (before, after) = ("", "")
        before.unicodeScalars.append(contentsOf: [scalar, "<"])
        after.unicodeScalars.append(contentsOf: ["<", scalar])
        return before.count == 1 || after.count == 1
    }

    /// Parts of Hangul, halves of flags and skin tones, which join with one another.
    static let others: [Unicode.Scalar] =
        [0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF].joined().compactMap { Unicode.Scalar($0) }

    private static func text(_ scalars: Unicode.Scalar...) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// Returns the text that a parser reads. Nil if it would read markup or an unexpected reference.
    private static func parsed(_ html: String) -> String? {
        let references = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&#13;": "\r"]
        var (bytes, rest) = ([UInt8](), Array(html.utf8)[...])
        while let byte = rest.first {
            if [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'")].contains(byte) { return nil }
            if byte == UInt8(ascii: "&") {
                guard let (reference, character) = references.first(where: { rest.starts(with: $0.key.utf8) }) else { return nil }
                bytes += character.utf8
                rest = rest.dropFirst(reference.utf8.count)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    @Test("every prepending, combining and joining character before and after each markup character")
    func joined() {
        #expect(Self.joining.count > 2000)
        for known in ["\u{600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{903}", "\u{110BD}"] as [Unicode.Scalar] {
            #expect(Self.joining.contains(known))
        }
        for scalar in Self.joining + Self.others {
            for mark in Self.markup {
                let text = Self.text(scalar, mark, scalar, mark, mark, scalar, scalar)
                let html = text.escapedForHTML
                guard let read = Self.parsed(html), read.isSame(as: text) else {
                    Issue.record("U+\(String(scalar.value, radix: 16)) with \(mark): \(html)")
                    continue
                }
            }
        }
    }

    @Test("a carriage return stays one, NUL becomes the replacement character, and all other text is unchanged")
    func controls() {
        #expect("a\r\nb".escapedForHTML.isSame(as: "a&#13;\nb"))
        #expect("\u{0}".escapedForHTML.isSame(as: "\u{FFFD}"))
        #expect("é \u{85}\u{2028}\u{FFFE}`=".escapedForHTML.isSame(as: "é \u{85}\u{2028}\u{FFFE}`="))
    }

    @Test("a template escapes in attributes, sections, lists, partials and lists of partials")
    func template() {
        let template = HTMLTemplate(
            "<a title=\"{{text}}\">{{text}}{{#one}}{{text}}{{/one}}{{#list}}{{.}}{{/list}}{{>part}}{{#list}}{{>item}}{{/list}}</a>",
            partials: ["part": "{{text}}", "item": "<i>{{.}}</i>"])
        let text = Self.text("\u{600}", "<", "\u{301}", "\u{600}", "\"", "\u{200D}", ">")
        let html = template.render(["text": text, "one": ["text": text], "list": [text, text]] as [String: Any])
        let escaped = text.escapedForHTML
        #expect(
            html.isSame(
                as: "<a title=\"\(escaped)\">\(escaped)\(escaped)\(escaped)\(escaped)\(escaped)<i>\(escaped)</i><i>\(escaped)</i></a>"))
    }

    @Test("all pages have the same escape: no other file imports Mustache, and only our constants are not escaped")
    func sources() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardizedFileURL
        var templates = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            #expect(!text.contains("import Mustache") || path == "Web/HTMLTemplate.swift", "\(path)")
            if text.contains("= HTMLTemplate(") { templates += 1 }
            for match in text.matches(of: /\{\{(?:\{|&)\s*([A-Za-z.]+)/) {
                #expect(["style", "stylesheet", "script", "body", "content", "picture"].contains(match.1), "\(path): \(match.0)")
            }
            // An attribute without quotes would need another escape.
            #expect(!text.contains(/<[a-z][^>"]*=\{\{/), "\(path)")
        }
        #expect(templates >= 3)
    }
}
