import Foundation

/// Any JSON: the body of a request or a response.
enum JSON: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array)
        case .object(let members): try container.encode(members)
        }
    }

    /// The text that is sent or printed, with sorted members.
    func encoded(isPretty: Bool = false) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isPretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        // Encoding fails only for numbers without a JSON form. All numbers here come from JSON or are integers.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }

    /// The member at a path such as `check.outcome`. Nil if the member is missing or null.
    subscript(path: String) -> JSON? {
        var place = self
        for name in path.split(separator: ".") {
            guard case .object(let members) = place, let member = members[String(name)], member != .null else { return nil }
            place = member
        }
        return place
    }

    /// Returns this object without one member.
    func without(_ name: String) -> JSON {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }

    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    var integer: Int? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text for a cell of a table. A long list shows only its beginning.
    var brief: String {
        guard case .array(let elements) = self else { return text.isEmpty ? "-" : text }
        let shown = elements.prefix(elements.count > 3 ? 2 : 3).map(\.text).joined(separator: ", ")
        return elements.isEmpty ? "-" : elements.count > 3 ? "\(shown) and \(elements.count - 2) more" : shown
    }

    /// The text for one line.
    var text: String {
        switch self {
        case .null: ""
        case .bool(let bool): bool ? "yes" : "no"
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .string(let string): string
        case .array(let elements): elements.map(\.text).joined(separator: ", ")
        case .object: String(decoding: encoded(), as: UTF8.self)
        }
    }
}

// Members of a body. A missing value is left out, so a PATCH leaves the property unchanged.
extension JSON {
    /// An object with the members that have a value.
    static func given(_ members: [String: JSON?]) -> JSON {
        .object(members.compactMapValues(\.self))
    }

    init?(_ text: String?) {
        guard let text else { return nil }
        self = .string(text)
    }

    init?(_ flag: Bool?) {
        guard let flag else { return nil }
        self = .bool(flag)
    }

    init?(_ number: Int?) {
        guard let number else { return nil }
        self = .integer(number)
    }

    /// A list without elements means that the option is missing. A list of empty texts (`--bundle-id ''`) clears the property.
    init?(_ list: [String]) {
        guard !list.isEmpty else { return nil }
        self = .array(list.filter { !$0.isEmpty }.map(JSON.string))
    }
}

extension JSON: ExpressibleByStringLiteral {
    init(stringLiteral value: String) {
        self = .string(value)
    }
}
