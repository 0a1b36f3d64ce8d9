package import Foundation
package import Hummingbird

/// The parameters of a query that an action knows. Any other is refused, and so is an empty one: a filter that is mistyped, or
/// whose value was lost on the way, must not show everything.
package struct Query: Sendable {
    private let form: Form

    /// - Parameter names: the parameters that there are.
    /// - Throws: `Problem` for a malformed, repeated, unknown or empty one.
    package init(_ request: Request, _ names: String...) throws {
        try self.init(request.uri.query ?? "", names)
    }

    package init(_ query: String, _ names: [String]) throws {
        do { form = try Form(query) } catch {
            throw Problem(.invalid, "The query could not be read: a parameter is malformed or repeated.")
        }
        if let unknown = form.names.sorted().first(where: { !names.has($0) }) {
            let known = names.isEmpty ? "none are taken here" : names.map { "`\($0)`" }.joined(separator: ", ") + " are"
            throw Problem.invalid(.init(unknown, "There is no such parameter; \(known)."))
        }
        if let empty = form.names.first(where: { form[$0] == nil }) {
            throw Problem.invalid(.init(empty, "It is empty: give it a value, or leave it out."))
        }
    }

    package func text(_ name: String, upTo limit: Int = 500) throws -> String? {
        guard let text = form[name] else { return nil }
        guard text.unicodeScalars.count <= limit, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw Problem.invalid(.init(name, "It must have at most \(limit) characters, none of them a control character.")) }
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
        // A `+` in a query is a space: an offset that was not encoded arrives as one.
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
            default: throw Problem.invalid(.init("before", "Give either `after` or `before`."))
            }
        }
    }

    private func cursor(_ name: String, _ text: String) throws -> UUID {
        guard let id = PageRequest.id(fromCursor: text)
        else { throw Problem.invalid(.init(name, "This is no cursor of ours: take it from `list_metadata` of an answer.")) }
        return id
    }
}
