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
            let (quote, safe) = (UInt8(ascii: "\""), harmless(text))
            // An empty text is another thing than nothing.
            // Some spreadsheets part cells at semicolons or tabs.
            guard safe.isEmpty || safe.contains(where: { $0 == quote || $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") })
            else {
                return safe
            }
            return [quote] + safe.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        }
    }

    /// With an apostrophe before each part of it that a spreadsheet would calculate with, or run (OWASP, "CSV Injection"): it makes it a
    /// text. Also behind what some take for the end of a cell: to them, a quote in the midst of a line means nothing. A text that begins
    /// with a tab or a line's end has one in any case.
    private static func harmless(_ text: String) -> [UInt8] {
        let ends: [Unicode.Scalar] = [";", "\t", "\r", "\n"]
        let apostrophe = UInt8(ascii: "'")
        var rest = text.unicodeScalars[...]
        var bytes: [UInt8] = []
        if let first = rest.first, first != ";", ends.contains(first) { bytes.append(apostrophe) }
        while !rest.isEmpty {
            let cell = rest.prefix { !ends.contains($0) }
            if isFormula(cell) { bytes.append(apostrophe) }
            bytes += Substring(cell).utf8
            rest = rest[cell.endIndex...]
            if let end = rest.popFirst() { bytes += String(end).utf8 }
        }
        return bytes
    }

    /// Also where blanks, quotes or what nobody sees stand before it, which some programs drop, and in the wide letters that some take for
    /// the narrow ones.
    private static func isFormula(_ cell: Substring.UnicodeScalarView) -> Bool {
        let first = cell.first { scalar in
            scalar != "\"" && !scalar.properties.isWhitespace && ![.control, .format].contains(scalar.properties.generalCategory)
        }
        return first.map { ["=", "+", "-", "@", "＝", "＋", "－", "＠"].contains($0) } ?? false
    }
}
