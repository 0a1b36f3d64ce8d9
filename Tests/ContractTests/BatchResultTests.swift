import Foundation
import Testing

/// A batch of statements has a name for each result (`StatementRunner`, `Statements`). An index in a list of results breaks silently when
/// somebody adds a statement before it.
@Suite("Results of a batch")
struct BatchResultTests {
    /// The files that declare `run`. Only they may name the type of a list of results, or read such a list by index.
    private static let declaring: Set<String> = [
        "Access/ScopedDatabase.swift", "Billing/Exports/UsageExport.swift", "Ledger/Reading/LedgerPages.swift", "Postgres/Batch.swift",
        "Postgres/DatabasePool.swift", "Postgres/DatabaseSession.swift",
        "Postgres/DatabaseSessions+Failover.swift", "Postgres/StatementRunner.swift", "Postgres/Statements.swift",
        "Postgres/Submission.swift", "Postgres/Transaction.swift",
    ]

    @Test("no source reads the results of a list of statements by index")
    func sources() throws {
        let files = try Self.files()
        let lists = files.values.reduce(into: Set<String>()) { $0.formUnion(Self.declaredLists(in: $1)) }
        var (found, runs) = (Set<String>(), 0)
        for (file, text) in files {
            let scan = Scan(text, lists: lists)
            runs += scan.lists
            if !scan.reads.isEmpty { found.insert(file) }
        }
        #expect(found.subtracting(Self.declaring).sorted() == [])
        // The search finds lists of statements, so it would also find reads of their results.
        #expect(runs > 40)
        #expect(Set(files.filter { $0.value.contains("[Rows]") }.keys) == Self.declaring)
    }

    @Test(
        "the search finds each form of such a read",
        arguments: [
            "let n = try await db.run([lock, count])[1][0]",
            "let found = try await db.run([\n    a(b),\n    c,\n])\nguard !found[0].isEmpty",
            "let found = try await db.run(first + [last])\nreturn found[first.count]",
            "let found = try await run(locks)\nprint(found[2...])",
            "let found = try await db.run(\n    Move.locks(tenant) + [a])\nprint(found.suffix(2))",
            "let a = try await db.run([x, y]).last!",
        ])
    func forms(_ text: String) {
        #expect(Scan(text, lists: ["locks"]).reads.count == 1)
    }

    @Test(
        "the search accepts a read of a row, of a named result, and of another scope",
        arguments: [
            "let found = try await db.run(\"SELECT 1\")\nprint(found[0])", "let (_, found) = try await db.run(a, b)\nprint(found[0])",
            "let results = try await db.run(batch)\nprint(results[saved])", "_ = try await db.run([a, b])\nprint(list[0])",
            "if all { let rows = try await db.run([a]) }\nprint(rows[0])",
        ])
    func otherForms(_ text: String) {
        #expect(Scan(text, lists: ["locks"]).reads.isEmpty)
    }

    private static func files() throws -> [String: String] {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) })
    }

    /// The names of functions and variables that are lists of statements.
    private static func declaredLists(in text: String) -> Set<String> {
        let functions = text.matches(of: /func (\w+)[^{}]*\) (?:async )?(?:throws )?-> \[SQL\]/).map { String($0.1) }
        let variables = text.matches(of: /(?:var|let) (\w+): \[SQL\]/).map { String($0.1) }
        return Set(functions + variables)
    }
}

/// The calls of `run` with a list of statements in a source file.
private struct Scan {
    /// The number of calls with a list.
    private(set) var lists = 0
    /// The reads of their results by index.
    private(set) var reads: [String] = []

    init(_ text: String, lists names: Set<String>) {
        for call in text.ranges(of: "run(") where text[..<call.lowerBound].last.map({ $0.isLetter || $0 == "_" }) != true {
            guard let end = Self.end(of: text[call.upperBound...]) else { continue }
            guard Self.isList(text[call.upperBound..<end], names) else { continue }
            lists += 1
            let rest = text[text.index(after: end)...]
            if let read = rest.prefixMatch(of: Self.index) { reads.append("run(…)\(read.0)") }
            // The name on the left side of this call, and the block in which the name is valid.
            let before = text[..<call.lowerBound].suffix(200)
            guard let name = before.firstMatch(of: /(?:let|var) (\w+)(?:: [\w\[\]]+)? =\s[^=\n;{}]*$/)?.1 else { continue }
            let block = rest[..<(Self.end(of: rest) ?? rest.endIndex)]
            for use in block.ranges(of: name) where block[..<use.lowerBound].last.map({ $0.isLetter || $0.isNumber }) != true {
                if let read = block[use.upperBound...].prefixMatch(of: Self.index) { reads.append("\(name)\(read.0)") }
            }
        }
    }

    /// An index that counts statements. A name as the index is a position of `Statements`.
    private static var index: Regex<Substring> {
        /(?:\[(?:\d|[^\]\n]*(?:\.count|\.\.))[^\]\n]*\]|\.last!|\.suffix\(|\.prefix\(|\.dropFirst\(|\.removeFirst\()/
    }

    /// Whether the argument of a call is more than one statement.
    private static func isList(_ argument: Substring, _ names: Set<String>) -> Bool {
        let text = argument.drop(while: \.isWhitespace)
        if text.hasPrefix("[") { return true }
        if text.hasPrefix("\"") { return false }
        var depth = 0
        for byte in text.utf8 {
            depth += Self.step(byte)
            if depth == 0, byte == UInt8(ascii: "+") { return true }
            if depth == 0, byte == UInt8(ascii: ",") { return false }
        }
        guard let name = text.prefixMatch(of: /(?:\w+\.)*(\w+)/)?.1 else { return false }
        return names.contains(String(name))
    }

    /// The bracket that closes the surrounding block or call.
    private static func end(of text: Substring) -> Substring.Index? {
        var depth = 0
        return text.utf8.indices.first { index in
            depth += Self.step(text.utf8[index])
            return depth < 0
        }
    }

    private static func step(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): -1
        default: 0
        }
    }
}
