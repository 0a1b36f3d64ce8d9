import Encoding
package import Foundation
package import Hummingbird

/// The query parameters of an action.
///
/// Any other parameter is rejected, and so is an empty one. A filter with a wrong name or a lost value must not show
/// everything.
package struct Query: Sendable {
    private let form: Form

    /// - Parameter names: The known parameters.
    /// - Throws: `Problem` for a malformed, repeated, unknown or empty parameter.
    package init(_ request: Request, _ names: String...) throws {
        try self.init(request.uri.query ?? "", names)
    }

    package init(_ query: String, _ names: [String]) throws {
        do { form = try Form(query) } catch {
            throw Problem(.invalid, "The query is invalid. A parameter is malformed or repeated.")
        }
        if let unknown = form.names.sorted().first(where: { !names.has($0) }) {
            let known = names.isEmpty ? "none" : names.map { "`\($0)`" }.joined(separator: ", ")
            throw Problem.invalid(.init(unknown, "This parameter is unknown. Known parameters: \(known)."))
        }
        if let empty = form.names.first(where: { form[$0] == nil }) {
            throw Problem.invalid(.init(empty, "It is empty. Set a value or remove the parameter."))
        }
    }

    package func text(_ name: String, upTo limit: Int = 500) throws -> String? {
        guard let text = form[name] else { return nil }
        guard text.unicodeScalars.count <= limit, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw Problem.invalid(.init(name, "It must have at most \(limit) characters and no control characters.")) }
        return text
    }

    package func choice<Choice: CaseIterable & RawRepresentable>(_ name: String, _: Choice.Type = Choice.self) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = form[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw Problem.invalid(.init(name, "It must be one of \(Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))."))
        }
        return choice
    }

    package func flag(_ name: String) throws -> Bool? {
        switch form[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Problem.invalid(.init(name, "It must be `true` or `false`."))
        }
    }

    package func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = form[name] else { return nil }
        guard let number = Int(text), range.contains(number), String(number) == text
        else { throw Problem.invalid(.init(name, "It must be a whole number between \(range.lowerBound) and \(range.upperBound).")) }
        return number
    }

    package func time(_ name: String) throws -> Date? {
        guard let text = form[name] else { return nil }
        // A `+` in a query is a space, so an offset that was not encoded arrives with a space.
        if let date = RFC3339.date(text.replacing(" ", with: "+")) { return date }
        throw Problem.invalid(.init(name, "Write a time as RFC 3339, for example 2026-11-01T00:00:00Z."))
    }

    /// `limit`, `after` and `before`.
    package var page: PageRequest {
        get throws {
            var limit = 20
            if let number = try integer("limit", 1...100) { limit = number }
            switch (form["after"], form["before"]) {
            case (nil, nil): return PageRequest(limit: limit, position: .start)
            case (let text?, nil): return PageRequest(limit: limit, position: .after(try cursor("after", text)))
            case (nil, let text?): return PageRequest(limit: limit, position: .before(try cursor("before", text)))
            default: throw Problem.invalid(.init("before", "Set `after` or `before`, not both."))
            }
        }
    }

    private func cursor(_ name: String, _ text: String) throws -> UUID {
        guard let id = PageRequest.id(fromCursor: text)
        else { throw Problem.invalid(.init(name, "It is not a valid cursor. Use a cursor from `list_metadata` of a response.")) }
        return id
    }
}
