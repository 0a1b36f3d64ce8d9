import Foundation

/// Rows in columns, for people.
struct Table {
    var header: [String] = []
    var rows: [[String]]
    /// Columns of numbers.
    var rightAligned: Set<Int> = []

    /// The lines, two spaces between columns, none at a line's end.
    var text: String {
        Self.text(of: lines, rightAligned)
    }

    /// The lines and the header in printable characters.
    private var lines: [[String]] {
        ((header.isEmpty ? [] : [header]) + rows).map { $0.map(\.printable) }
    }

    private static func text(of lines: [[String]], _ rightAligned: Set<Int>) -> String {
        let widths = widths(of: lines)
        return lines.map { cells in
            var line = zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return rightAligned.contains(column) ? padding + cell.0 : cell.0 + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    private static func widths(of lines: [[String]]) -> [Int] {
        let columns = lines.map(\.count).max() ?? 0
        return (0..<columns).map { column in lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    }
}

// MARK: Terminals

extension Table {
    /// A column never gets narrower than this.
    private static let narrowest = 8

    /// The lines for a terminal, which would wrap longer ones in the middle of a word.
    ///
    /// Times become days first. Then texts are cut, the longest first, and end in `…`. Then columns go. IDs of other things go
    /// first, and then the other columns, each from the right. An ID is never cut, because people copy it. The own ID stays.
    /// - Parameters:
    ///   - width: in characters; nil for a file or a pipe, which gets everything.
    ///   - identifiers: the columns of IDs.
    ///   - ownID: the column of the rows' own IDs, if there is one.
    /// - Returns: the text, and the headers of the columns that had no room.
    func fitted(to width: Int?, identifiers: Set<Int>, ownID: Int?) -> (text: String, hidden: [String]) {
        var lines = lines
        guard let width, Self.total(of: lines) > width else { return (text, []) }
        for column in header.indices where !identifiers.contains(column) { Self.shortenTimes(in: &lines, column) }
        let isWhole = identifiers.union(rightAligned)
        Self.cut(&lines, to: width, except: isWhole)
        var kept = Array(header.indices)
        while Self.total(of: lines) > width, let column = Self.leastNeeded(of: kept, identifiers, ownID) {
            let place = kept.firstIndex(of: column)!
            kept.remove(at: place)
            // From the uncut lines: with a column less, the texts may be longer again.
            lines = self.lines.map { cells in kept.map { $0 < cells.count ? cells[$0] : "" } }
            for (place, column) in kept.enumerated() where !identifiers.contains(column) { Self.shortenTimes(in: &lines, place) }
            Self.cut(&lines, to: width, except: Set(kept.indices.filter { isWhole.contains(kept[$0]) }))
        }
        let hidden = header.indices.filter { !kept.contains($0) }.map { header[$0].printable }
        return (Self.text(of: lines, Set(kept.indices.filter { rightAligned.contains(kept[$0]) })), hidden)
    }

    private static func total(of lines: [[String]]) -> Int {
        let widths = widths(of: lines)
        return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
    }

    /// The rightmost ID of another thing, then the rightmost column except the first one, then the first column. Never the own ID; nil
    /// when one column is left.
    private static func leastNeeded(of columns: [Int], _ identifiers: Set<Int>, _ ownID: Int?) -> Int? {
        guard columns.count > 1 else { return nil }
        let others = columns.filter { $0 != ownID }
        return others.last(where: identifiers.contains) ?? others.last
    }

    /// `2026-11-22T07:41:00Z` becomes `2026-11-22`.
    private static func shortenTimes(in lines: inout [[String]], _ column: Int) {
        for row in lines.indices where column < lines[row].count {
            guard lines[row][column].wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/#) != nil else { continue }
            lines[row][column] = String(lines[row][column].prefix(10))
        }
    }

    /// Cuts the widest column until the lines fit, or until no column can be narrower.
    private static func cut(_ lines: inout [[String]], to width: Int, except whole: Set<Int>) {
        var widths = widths(of: lines)
        var excess = widths.reduce(0, +) + 2 * max(0, widths.count - 1) - width
        while excess > 0, let widest = widths.indices.filter({ !whole.contains($0) }).max(by: { widths[$0] < widths[$1] }),
            widths[widest] > narrowest
        {
            widths[widest] -= 1
            excess -= 1
        }
        for row in lines.indices {
            for column in lines[row].indices where lines[row][column].count > widths[column] {
                lines[row][column] = lines[row][column].prefix(widths[column] - 1) + "…"
            }
        }
    }
}
