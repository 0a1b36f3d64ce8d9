/// Finds the tables that SQL names, in a source file or in a function of the database.
///
/// A table follows a keyword such as `FROM` or a comma in a list of tables, or it is a quoted name that becomes a `regclass`. Lines
/// that are comments do not count.
enum SQLTables {
    /// A table or a list of tables follows.
    private static let lists: Set<String> = ["FROM", "USING", "TABLE", "LOCK", "TRUNCATE"]
    /// One table follows.
    private static let singles: Set<String> = ["JOIN", "INTO", "UPDATE", "COPY"]
    private static let ends: Set<String> = [
        "WHERE", "SET", "GROUP", "ORDER", "SELECT", "VALUES", "RETURNING", "HAVING", "LIMIT", "UNION", "FOR", "WINDOW",
    ]

    static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n").filter { line in
            let code = line.drop { $0 == " " }
            return !code.hasPrefix("//") && !code.hasPrefix("--")
        }.joined(separator: "\n")
    }

    static func named(in text: String, of known: Set<String>) -> Set<String> {
        let code = withoutComments(text) + "\n"
        var named: Set<String> = []
        for match in code.matches(of: /'([a-z0-9_]+)'::regclass|to_regclass\('([a-z0-9_]+)'\)/) {
            if let name = match.1 ?? match.2 { named.insert(String(name)) }
        }

        var word: [UInt8] = []
        var previous = ""
        var expectsTable = false
        // One element per open parenthesis: whether a list of tables is open in it.
        var isList = [false]
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                word.append(byte)
                continue
            default: break
            }
            if !word.isEmpty {
                let text = String(decoding: word, as: UTF8.self)
                if lists.contains(text) || singles.contains(text) {
                    // `IS DISTINCT FROM` compares two values.
                    expectsTable = previous != "DISTINCT"
                    if expectsTable, lists.contains(text) { isList[isList.count - 1] = true }
                } else if ends.contains(text) {
                    expectsTable = false
                    isList[isList.count - 1] = false
                } else if expectsTable, text != "ONLY", text != "LATERAL", byte != UInt8(ascii: ".") {
                    named.insert(text)
                    expectsTable = false
                }
                previous = text
                word.removeAll(keepingCapacity: true)
            }
            switch byte {
            case UInt8(ascii: "("):
                isList.append(false)
                expectsTable = false
            case UInt8(ascii: ")"):
                if isList.count > 1 { isList.removeLast() }
                expectsTable = false
            case UInt8(ascii: ","):
                expectsTable = isList[isList.count - 1]
            case UInt8(ascii: "\""), UInt8(ascii: ";"):
                // The end of a Swift string or of a statement.
                isList[isList.count - 1] = false
                expectsTable = false
            default: break
            }
        }
        return named.intersection(known)
    }
}
