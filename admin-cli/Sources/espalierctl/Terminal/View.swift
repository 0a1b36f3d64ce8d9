/// Which parts of an answer a person is shown, and in which order.
struct View: Sendable {
    struct Field: Sendable {
        var title: String
        /// A path such as `check.outcome`.
        var path: String
        var isListed = true
        var isRequired = true
        var isNumber = false

        /// Shown where one thing is shown, but no column of a list.
        var detail: Field { changed { $0.isListed = false } }
        /// Left out where the answer lacks it.
        var optional: Field { changed { $0.isRequired = false } }
        var number: Field { changed { $0.isNumber = true } }

        /// Whether it is the ID of the thing itself, and not of another.
        var isOwnID: Bool { title == "ID" }

        private func changed(_ change: (inout Field) -> Void) -> Field {
            var field = self
            change(&field)
            return field
        }
    }

    /// A list or an object inside the answer, under a heading of its own.
    struct Section: Sendable {
        var title: String
        var path: String
        var view: View
    }

    var fields: [Field]
    var sections: [Section] = []

    init(_ fields: Field..., sections: [Section] = []) {
        (self.fields, self.sections) = (fields, sections)
    }

    /// One thing, a line for each property, and its sections below.
    /// - Throws: ``Failure``, when it lacks what such a thing has: an answer of another shape isn't an empty one.
    func details(of json: JSON) throws(Failure) -> String {
        var rows: [[String]] = []
        for field in fields {
            if let value = json[field.path] {
                rows.append([field.title, value.text.isEmpty ? "-" : value.text])
            } else if field.isRequired {
                throw .shape()
            }
        }
        var text = Table(rows: rows).text
        for section in sections {
            guard let part = json[section.path] else { continue }
            if let elements = part.elements {
                if !elements.isEmpty { text += "\n\(section.title)\n" + (try section.view.table(of: elements)) }
            } else {
                text += "\n\(section.title)\n" + (try section.view.details(of: part))
            }
        }
        return text
    }

    /// Several of them, a line for each. The ID is in the last column: people read the name and copy the ID.
    /// - Parameter terminal: receives the text; its width limits the lines.
    func table(of elements: [JSON], for terminal: Terminal = .standardOutput) throws(Failure) -> String {
        let listed = fields.filter(\.isListed)
        let columns = listed.filter { !$0.isOwnID } + listed.filter(\.isOwnID)
        var rows: [[String]] = []
        for element in elements {
            var cells: [String] = []
            for field in columns {
                let value = element[field.path]
                if value == nil, field.isRequired { throw .shape() }
                cells.append(value?.brief ?? "-")
            }
            rows.append(cells)
        }
        let table = Table(
            header: columns.map { $0.title.uppercased() }, rows: rows,
            rightAligned: Set(columns.indices.filter { columns[$0].isNumber }))
        let ownID = columns.lastIndex(where: \.isOwnID)
        let identifiers = columns.indices.filter { column in
            columns[column].isOwnID || rows.contains { $0[column].wholeMatch(of: #/[a-z]+_[0-9a-z]{26}/#) != nil }
        }
        let (text, hidden) = table.fitted(to: terminal.width, identifiers: Set(identifiers), ownID: ownID)
        if !hidden.isEmpty {
            Terminal.standardError.report("Hidden for lack of width: \(hidden.joined(separator: ", ")).")
            // On a line of its own, which no terminal breaks within the option.
            Terminal.standardError.report("Use a wider terminal or --json.")
        }
        return text
    }
}

extension View.Field {
    init(_ title: String, _ path: String) {
        self.init(title: title, path: path)
    }
}
