/// Rows in columns, for people.
struct Table {
    var header: [String] = []
    var rows: [[String]]
    /// Columns of numbers.
    var rightAligned: Set<Int> = []

    /// The lines, two spaces between columns, none at a line's end.
    var text: String {
        let lines = ((header.isEmpty ? [] : [header]) + rows).map { $0.map(\.printable) }
        let columns = lines.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return lines.map { cells in
            var line = zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return rightAligned.contains(column) ? padding + cell.0 : cell.0 + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
