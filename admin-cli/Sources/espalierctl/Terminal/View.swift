import Foundation

/// The parts of a response that people see, in order.
struct View: Sendable {
    struct Field: Sendable {
        var title: String
        /// A path such as `check.outcome`.
        var path: String
        /// The path of a value that is better than the one at `path`, if the response has it.
        var betterPath: String?
        var isListed = true
        var isRequired = true
        var isNumber = false
        var isExact = false
        var isWrapped = false

        /// The field appears in details, but not as a column of a list.
        var detail: Field { changed { $0.isListed = false } }
        /// The field is left out if the response lacks it.
        var optional: Field { changed { $0.isRequired = false } }
        var number: Field { changed { $0.isNumber = true } }

        /// The field shows the value at this path instead, if the response has it.
        func preferring(_ path: String) -> Field { changed { $0.betterPath = path } }

        func value(in json: JSON) -> JSON? { betterPath.flatMap { json[$0] } ?? json[path] }

        /// A time that a narrow list shows with hours and minutes.
        var exact: Field { changed { $0.isExact = true } }
        /// A text that a narrow list continues on the next line.
        var wrapped: Field { changed { $0.isWrapped = true } }

        /// Whether this is the resource's own ID.
        var isOwnID: Bool { path == "id" || title == "ID" }

        private func changed(_ change: (inout Field) -> Void) -> Field {
            var field = self
            change(&field)
            return field
        }
    }

    /// A list or an object inside the response, with its own heading.
    struct Section: Sendable {
        var title: String
        var path: String
        var view: View
    }

    var fields: [Field]
    var sections: [Section] = []
    /// The titles of the columns that a narrow list hides first, in this order.
    var expendable: [String] = []

    init(_ fields: Field..., sections: [Section] = [], expendable: [String] = []) {
        (self.fields, self.sections, self.expendable) = (fields, sections, expendable)
    }

    /// The text for one resource: a line for each property, and the sections below.
    /// - Throws: ``Failure`` if a required property is missing. A response of another form must not look empty.
    /// - Parameter terminal: receives the text. On a terminal, the distance to the present follows each time.
    func details(of json: JSON, for terminal: Terminal = .standardOutput, now: Date = .now) throws(Failure) -> String {
        var rows: [[String]] = []
        let titleWidth = fields.filter { $0.value(in: json) != nil }.map(\.title.count).max() ?? 0
        for field in fields {
            if let value = field.value(in: json) {
                let distance = terminal.width.flatMap { _ in RelativeTime(value.text, now: now) }.map { " (\($0.text))" } ?? ""
                let text = value.text.isEmpty ? "-" : value.text + distance
                // A list continues below its beginning, and not at the edge of the terminal.
                let isList = (value.elements?.count ?? 0) > 1
                let lines = terminal.width.flatMap { isList ? Table.wrapped(text, to: max(20, $0 - titleWidth - 2)) : nil } ?? [text]
                rows += lines.enumerated().map { [$0.offset == 0 ? field.title : "", $0.element] }
            } else if field.isRequired {
                throw .shape()
            }
        }
        var text = Table(rows: rows).text
        for section in sections {
            guard let part = json[section.path] else { continue }
            if let elements = part.elements {
                if !elements.isEmpty { text += "\n\(section.title)\n" + (try section.view.table(of: elements, for: terminal, now: now)) }
            } else {
                text += "\n\(section.title)\n" + (try section.view.details(of: part, for: terminal, now: now))
            }
        }
        return text
    }

    /// The text for a list, with a line for each resource. On a terminal, a line about columns without room follows.
    func table(of elements: [JSON], for terminal: Terminal = .standardOutput, now: Date = .now) throws(Failure) -> String {
        let fitted = try fitted(elements, for: terminal, now: now)
        return fitted.text + (fitted.note.map { $0 + "\n" } ?? "")
    }

    /// The table of a list. The ID is in the last column, because people read the name and copy the ID.
    /// - Parameter terminal: receives the text; its width limits the lines.
    ///   On a terminal, times are relative to the present, except in exact columns.
    func fitted(_ elements: [JSON], for terminal: Terminal = .standardOutput, now: Date = .now) throws(Failure) -> Table.Fitted {
        let listed = fields.filter(\.isListed)
        let columns = listed.filter { !$0.isOwnID } + listed.filter(\.isOwnID)
        var rows: [[String]] = []
        for element in elements {
            var cells: [String] = []
            for field in columns {
                let value = field.value(in: element)
                if value == nil, field.isRequired { throw .shape() }
                let text = value?.brief ?? "-"
                let relative = terminal.width == nil || field.isExact ? nil : RelativeTime(text, now: now)?.text
                cells.append(relative.map { $0 + String(repeating: " ", count: max(0, RelativeTime.width - $0.count)) } ?? text)
            }
            rows.append(cells)
        }
        func places(_ isMeant: (Field) -> Bool) -> Set<Int> { Set(columns.indices.filter { isMeant(columns[$0]) }) }
        let table = Table(
            header: columns.map { $0.title.uppercased() }, rows: rows, rightAligned: places(\.isNumber),
            identifiers: places(\.isOwnID).union(columns.indices.filter { column in rows.contains { $0[column].startsWithID } }),
            ownID: columns.lastIndex(where: \.isOwnID), exact: places(\.isExact), wrapped: places(\.isWrapped),
            expendable: expendable.compactMap { title in columns.firstIndex { $0.title == title } })
        return table.fitted(to: terminal.width)
    }
}

extension View.Field {
    init(_ title: String, _ path: String) {
        self.init(title: title, path: path)
    }
}
