/// Writes lines of CSV (RFC 4180, each with a final line feed) that are safe to open in a spreadsheet.
enum CSV {
    enum Field: Equatable {
        /// Any text, which may be hostile.
        case text(String)
        /// Digits, a point and a sign that Espalier has written.
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
            // The comparison is by byte, because in a `String` a quote with a combining accent is another character.
            let (quote, safe) = (UInt8(ascii: "\""), harmless(text))
            // An empty text differs from a missing value.
            // Some spreadsheets split cells at semicolons or tabs.
            guard safe.isEmpty || safe.contains(where: { $0 == quote || $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") })
            else {
                return safe
            }
            return [quote] + safe.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        }
    }

    /// Adds an apostrophe before each part that a spreadsheet would calculate or run (OWASP, "CSV Injection"). The apostrophe makes the
    /// part a text.
    ///
    /// Some programs ignore a quote within a line, so the text after a possible end of a cell is checked too. A text that starts with a tab
    /// or a line end always gets an apostrophe.
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

    /// Whether a spreadsheet would read a cell as a formula. Some programs drop leading blanks, quotes and invisible characters, and some
    /// treat full-width characters as the usual ones. So these count too.
    private static func isFormula(_ cell: Substring.UnicodeScalarView) -> Bool {
        let first = cell.first { scalar in
            scalar != "\"" && !scalar.properties.isWhitespace && ![.control, .format].contains(scalar.properties.generalCategory)
        }
        return first.map { ["=", "+", "-", "@", "＝", "＋", "－", "＠"].contains($0) } ?? false
    }
}
