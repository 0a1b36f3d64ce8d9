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

    /// Several of them, a line for each.
    func table(of elements: [JSON]) throws(Failure) -> String {
        let columns = fields.filter(\.isListed)
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
        return Table(
            header: columns.map { $0.title.uppercased() }, rows: rows,
            rightAligned: Set(columns.indices.filter { columns[$0].isNumber })
        ).text
    }
}

extension View.Field {
    init(_ title: String, _ path: String) {
        self.init(title: title, path: path)
    }
}
