import Foundation

/// A table of text for people.
struct Table {
    var header: [String] = []
    var rows: [[String]]
    /// Columns of numbers.
    var rightAligned: Set<Int> = []
    /// Columns of IDs, or of lists of IDs.
    var identifiers: Set<Int> = []
    /// The column of the rows' own IDs, if there is one.
    var ownID: Int?
    /// Columns of times that always show hours and minutes.
    var exact: Set<Int> = []
    /// Columns of texts that continue on the next line.
    var wrapped: Set<Int> = []
    /// Columns that readers need least, in the order in which they are hidden.
    var expendable: [Int] = []

    /// The lines, with two spaces between columns and none at the end of a line.
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
            // U+0600 and a space after it form one character, so this loop compares scalars.
            while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
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
    /// A table as a terminal shows it.
    struct Fitted {
        var text: String
        /// The headers of the columns that had no room.
        var hidden: [String] = []
        /// The headers of the columns with a shorter form.
        var shortened: [String] = []

        /// The sentence about the columns that a wider terminal shows. Nil if nothing is missing.
        var note: String? {
            let parts = [("hidden", hidden), ("shortened", shortened)].filter { !$0.1.isEmpty }
                .map { "\($0.0) for lack of width: \($0.1.joined(separator: ", "))" }
            guard !parts.isEmpty else { return nil }
            return "(\(parts.joined(separator: "; ")). Use a wider terminal or --json.)"
        }
    }

    /// The smallest width of a column of texts. Every word of the API fits.
    private static let narrowest = 12

    /// The lines for a terminal, which would wrap longer ones in the middle of a word.
    ///
    /// Each step applies only if the lines are still too long:
    /// 1. Times become days, and times of ``exact`` columns lose their seconds. Dates are not shortened further.
    /// 2. IDs of other resources shrink to their kind and their last 4 characters, starting with the rightmost column.
    /// 3. Texts of ``wrapped`` columns continue on the next line.
    /// 4. Columns are hidden in the order of ``expendable``.
    /// 5. Texts are cut, the longest first. A cut text ends in `…`.
    /// 6. Other columns are hidden from the right, the first column last. The own ID stays whole, because people copy it, unless it is
    ///    expendable.
    ///
    /// The steps start again after each hidden column.
    /// - Parameter width: the width in characters. Nil for a file or a pipe, which receives everything.
    func fitted(to width: Int?) -> Fitted {
        guard let width, Self.total(of: lines) > width else { return Fitted(text: text) }
        var shown = Array(header.indices)
        while true {
            let whole = lines.map { cells in shown.map { $0 < cells.count ? cells[$0] : "" } }
            var (lines, shortened) = (whole, Set<Int>())
            shorten(&lines, shown, to: width)
            for place in shown.indices where zip(whole, lines).contains(where: { $0[place] != $1[place] }) {
                shortened.insert(shown[place])
            }
            let isCut = fold(&lines, shown, to: width, cut: &shortened)
            let excess = Self.total(of: lines) > width
            if excess || isCut, let column = leastNeeded(of: shown, isCut: !excess) {
                shown.removeAll { $0 == column }
                continue
            }
            return Fitted(
                text: Self.text(of: lines, Set(shown.indices.filter { rightAligned.contains(shown[$0]) })),
                hidden: header.indices.filter { !shown.contains($0) }.map { header[$0].printable },
                shortened: shortened.sorted().map { header[$0].printable })
        }
    }

    private static func total(of lines: [[String]]) -> Int {
        let widths = widths(of: lines)
        return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
    }

    /// The column to hide next. Nil if only one column is left, or if cutting a text is better than hiding any other column.
    private func leastNeeded(of columns: [Int], isCut: Bool) -> Int? {
        guard columns.count > 1 else { return nil }
        // A cut text is better than no ID, because people copy the ID.
        let candidates = isCut ? expendable.filter { $0 != ownID } : expendable
        return candidates.first(where: columns.contains) ?? (isCut ? nil : columns.last { $0 != ownID })
    }

    /// Shortens times, then IDs of other resources, until the lines fit.
    private func shorten(_ lines: inout [[String]], _ columns: [Int], to width: Int) {
        guard Self.total(of: lines) > width else { return }
        for (place, column) in columns.enumerated() {
            Self.change(&lines, place) { cell in
                guard cell.wholeASCIIMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/#) != nil else { return cell }
                return exact.contains(column) ? "\(cell.prefix(10)) \(cell.dropFirst(11).prefix(5))" : String(cell.prefix(10))
            }
        }
        for (place, column) in columns.enumerated().reversed() where identifiers.contains(column) && column != ownID {
            guard Self.total(of: lines) > width else { return }
            Self.change(&lines, place) { cell in
                guard cell.startsWithID else { return cell }
                return cell.replacing(#/([a-z]+_)[0-9a-z]{22}([0-9a-z]{4})/#) { "\($0.1)…\($0.2)" }
            }
        }
    }

    private static func change(_ lines: inout [[String]], _ place: Int, _ change: (String) -> String) {
        for row in lines.indices.dropFirst() { lines[row][place] = change(lines[row][place]) }
    }

    /// Wraps and cuts texts until the lines fit, or until no column can be narrower. IDs, numbers and times do not change.
    /// - Returns: whether a text was cut.
    private func fold(_ lines: inout [[String]], _ columns: [Int], to width: Int, cut: inout Set<Int>) -> Bool {
        var widths = Self.widths(of: lines)
        let texts = columns.indices.filter { place in
            let column = columns[place]
            return !identifiers.contains(column) && !rightAligned.contains(column)
                && !lines.dropFirst().contains {
                    $0[place].wholeASCIIMatch(of: #/[0-9]{4}-[0-9]{2}(?:-[0-9]{2}.*)?|(?:in )?[0-9]+ [a-z]+(?: ago)? */#) != nil
                }
        }
        func least(_ place: Int) -> Int {
            let words = wrapped.contains(columns[place]) ? lines.flatMap { $0[place].split(separator: " ").map(\.count) } : []
            return max(Self.narrowest, lines[0][place].count, words.max() ?? 0)
        }
        let limits = Dictionary(uniqueKeysWithValues: texts.map { ($0, least($0)) })
        var excess = widths.reduce(0, +) + 2 * max(0, widths.count - 1) - width
        while excess > 0, let widest = texts.filter({ widths[$0] > limits[$0] ?? 0 }).max(by: { widths[$0] < widths[$1] }) {
            widths[widest] -= 1
            excess -= 1
        }
        var isCut = false
        lines = lines.flatMap { cells in
            let parts = cells.enumerated().map { place, cell in
                if cell.count <= widths[place] { return [cell] }
                if wrapped.contains(columns[place]) { return Self.wrapped(cell, to: widths[place]) }
                cut.insert(columns[place])
                isCut = true
                return [cell.prefix(widths[place] - 1) + "…"]
            }
            return (0..<(parts.map(\.count).max() ?? 1)).map { line in parts.map { line < $0.count ? $0[line] : "" } }
        }
        return isCut
    }

    /// Wraps a text at spaces. A longer word has a line of its own.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension String {
    /// Whether the text is an ID of the API (a kind and 26 characters), or a list of IDs.
    var startsWithID: Bool {
        prefixMatch(of: #/[a-z]+_[0-9a-z]{26}(?:$|, | )/#) != nil
    }
}
