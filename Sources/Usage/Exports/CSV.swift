/// Lines of CSV (RFC 4180, ended by a line feed) that are safe to open in a spreadsheet.
enum CSV {
    enum Field: Equatable {
        /// Whatever somebody may have written.
        case text(String)
        /// Made of digits, a point and a sign by ourselves.
        case number(String)
        case null
    }

    static func line(_ fields: [Field]) -> [UInt8] {
        Array(fields.map(field).joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\n")]
    }

    static func field(_ field: Field) -> [UInt8] {
        switch field {
        case .null: return []
        case .number(let digits): return Array(digits.utf8)
        case .text(let text):
            // Byte by byte: to a `String`, a quote with an accent on it is no quote.
            let quote = UInt8(ascii: "\"")
            let safe = isFormula(text) ? [UInt8(ascii: "'")] + text.utf8 : Array(text.utf8)
            // An empty text is another thing than nothing.
            // Some spreadsheets part cells at semicolons or tabs.
            guard safe.isEmpty || safe.contains(where: { $0 == quote || $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") })
            else {
                return safe
            }
            return [quote] + safe.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        }
    }

    /// Whether a spreadsheet would calculate with it, or run it (OWASP, "CSV Injection"): an apostrophe in front makes it a text. Also where
    /// blanks, quotes or what nobody sees stand before it, which some programs drop, in the wide letters that some take for the narrow ones, and
    /// behind what some take for the end of a cell.
    private static func isFormula(_ text: String) -> Bool {
        if let first = text.unicodeScalars.first, ["\t", "\r", "\n"].contains(first) { return true }
        return text.unicodeScalars.split(whereSeparator: { [";", "\t", "\r", "\n"].contains($0) }).contains { cell in
            let first = cell.first { scalar in
                scalar != "\"" && !scalar.properties.isWhitespace && ![.control, .format].contains(scalar.properties.generalCategory)
            }
            return first.map { ["=", "+", "-", "@", "＝", "＋", "－", "＠"].contains($0) } ?? false
        }
    }
}
