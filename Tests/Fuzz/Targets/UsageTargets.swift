@testable import Billing
import Foundation
import Fuzzing
@testable import Ledger

extension FuzzTarget {
    static let usage: [FuzzTarget] = [
        // The bytes that PostgreSQL would send for a page of the ledger. The page is read to its end or rejected, and
        // never beyond its end.
        FuzzTarget("ledger-page", bytes: [page(rows: 0), page(rows: 1), page(rows: 3), Array(page(rows: 2).dropLast(5))]) { bytes in
            guard let summary = try? LedgerRow.summary(of: bytes) else { return }
            var (text, offset, lines, rows) = (LedgerText(.cloudevents), 0, 0, 0)
            while case let block = try text.block(of: bytes, from: &offset, rows: &rows), !block.isEmpty {
                try hold(rows > 0, "a block has no lines")
                lines += rows
            }
            try hold(lines == summary.rows, "\(lines) lines of \(summary.rows) rows")
        },
        // Any name is one field of a line, and a spreadsheet does not calculate with it.
        FuzzTarget(text: "csv-field", seeds: ["Acme", "=1+1", "a\"\u{0301}b", "a,\"b\"\n", " \t@x", "'", ""]) { text in
            let line = CSV.line([.text(text), .null])
            try hold(line.suffix(2) == Array(",\n".utf8), "the line does not end after the field")
            let (field, quote) = (line.dropLast(2), UInt8(ascii: "\""))
            let isQuoted = field.first == quote
            let inside = isQuoted ? field.dropFirst().dropLast() : field
            if isQuoted {
                try hold(field.count >= 2 && field.last == quote, "the field is not closed")
                try hold(inside.count { $0 == quote } % 2 == 0, "a quote is not doubled")
                try hold(
                    inside.split(separator: quote, omittingEmptySubsequences: false).dropFirst().dropLast().enumerated()
                        .allSatisfy { $0.offset % 2 == 1 || $0.element.isEmpty }, "a quote is not doubled")
            } else {
                try hold(!field.contains { [quote, UInt8(ascii: ","), 10, 13].contains($0) }, "the field is not quoted")
            }
            let first = String(decoding: inside, as: UTF8.self).unicodeScalars.first { !$0.properties.isWhitespace }
            try hold(first.map { !["=", "+", "-", "@"].contains($0) } ?? true, "a formula")
        },
    ]

    private static func page(rows: Int) -> [UInt8] {
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
        for row in 0..<rows {
            bytes += [0, 8]
            for length in [16, 4, 8, 16, 16, 16] { bytes += [0, 0, 0, UInt8(length)] + [UInt8](repeating: UInt8(row), count: length) }
            for word in ["login", "own"] { bytes += [0, 0, 0, UInt8(word.utf8.count)] + Array(word.utf8) }
        }
        return bytes + [0xFF, 0xFF]
    }
}
