import Encoding

/// The outlines of all texts. script/button/glyphs.py writes them, so the server needs no font.
///
/// A glyph is the data of an SVG path in thousandths of the font size. Its y axis points down, and 0 is the baseline.
enum Outlines {
    /// A text of the button: its glyphs from left to right.
    struct Line: Sendable {
        let text: String
        /// In thousandths of the font size.
        let width: Int
        /// The data of one SVG path for all glyphs.
        let path: String
    }

    static func line(_ kind: AppleButton.Kind, _ locale: ButtonLocale) -> Line { lines[Name(locale: locale, kind: kind)]! }

    private struct Name: Hashable {
        let locale: ButtonLocale
        let kind: AppleButton.Kind
    }

    private struct Glyph {
        let x, y: Int
        /// The commands after the start, which are relative.
        let commands: Substring
    }

    /// Read once, at the first image. A test draws all of them, so the data is complete.
    private static let lines: [Name: Line] = {
        let fonts = [latin, arabic, hebrew, thai, japanese, korean, simplifiedChinese, taiwanese, hongKong]
        let glyphs = Dictionary(uniqueKeysWithValues: fonts.flatMap { $0.parts(at: "\n") }.map(glyph))
        return Dictionary(uniqueKeysWithValues: texts.parts(at: "\n").map { line($0, glyphs) })
    }()

    /// `l4 159 -719v719h-109v-719z`: the name, the start, the commands.
    private static func glyph(_ text: Substring) -> (String, Glyph) {
        let parts = text.parts(at: " ", atMost: 3)
        let y = parts[2].utf8.prefix { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return (String(parts[0]), Glyph(x: Int(parts[1])!, y: Int(Substring(y))!, commands: parts[2][y.endIndex...]))
    }

    /// `de_DE|sign-in|Mit Apple anmelden|8698|l33@0 l6@827`: a glyph has the distance to the left edge, and `,y` if it is not on the
    /// baseline.
    private static func line(_ text: Substring, _ glyphs: [String: Glyph]) -> (Name, Line) {
        let parts = text.parts(at: "|")
        var path = ""
        for placed in parts[4].parts(at: " ") {
            let (name, position) = (placed.parts(at: "@")[0], placed.parts(at: "@")[1].parts(at: ",").map { Int($0)! })
            let glyph = glyphs[String(name)]!
            path += "M\(glyph.x + position[0]) \(glyph.y + (position.count > 1 ? position[1] : 0))\(glyph.commands)"
        }
        let name = Name(locale: ButtonLocale(rawValue: String(parts[0]))!, kind: AppleButton.Kind(rawValue: String(parts[1]))!)
        return (name, Line(text: String(parts[2]), width: Int(parts[3])!, path: path))
    }
}
