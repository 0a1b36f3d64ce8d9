import Encoding
import Foundation

/// A schema of the spec (JSON Schema 2020-12), for real responses. An unknown keyword is a violation, because it must not
/// appear to be satisfied.
struct JSONSchema {
    private let schema: [String: Any]
    private let resolve: ([String: Any]) -> [String: Any]

    init(_ schema: [String: Any], resolve: @escaping ([String: Any]) -> [String: Any]) {
        (self.schema, self.resolve) = (resolve(schema), resolve)
    }

    private static let annotations: Set<String> = [
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "contentMediaType", "$comment",
        "discriminator",
    ]

    private static let known: Set<String> = [
        "type", "const", "enum", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "properties", "required", "additionalProperties",
        "unevaluatedProperties", "minProperties", "maxProperties", "items", "minItems", "maxItems", "uniqueItems", "minLength",
        "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    ]

    /// Returns the violations of the schema; empty if there are none.
    func violations(_ value: Any, at place: String = "$") -> [String] {
        var found = Set(schema.keys).subtracting(Self.known).subtracting(Self.annotations).sorted()
            .map { "\(place) is described by \($0), which these tests do not know" }
        if let constant = schema["const"], !Self.areEqual(constant, value) { found.append("\(place) is not \(constant)") }
        if let choices = schema["enum"] as? [Any], !choices.contains(where: { Self.areEqual($0, value) }) {
            found.append("\(place) is not one of \(choices)")
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.isA($0, value) }) {
            found.append("\(place) is not \(types.joined(separator: " or "))")
        }
        found += combinations(value, place)
        if let object = value as? [String: Any] { found += objectViolations(object, place) }
        if let array = value as? [Any] { found += arrayViolations(array, place) }
        if let text = value as? String { found += textViolations(text, place) }
        if let number = Self.number(value) { found += numberViolations(number, place) }
        return found
    }

    private func of(_ schema: [String: Any]) -> JSONSchema { JSONSchema(schema, resolve: resolve) }

    private func combinations(_ value: Any, _ place: String) -> [String] {
        var found = (schema["allOf"] as? [[String: Any]] ?? []).flatMap { of($0).violations(value, at: place) }
        if let any = schema["anyOf"] as? [[String: Any]], !any.contains(where: { of($0).violations(value).isEmpty }) {
            found.append("\(place) is not one of the described values (anyOf)")
        }
        if let one = schema["oneOf"] as? [[String: Any]] {
            let fitting = one.count { of($0).violations(value).isEmpty }
            if fitting != 1 { found.append("\(place) is \(fitting) of the described (oneOf)") }
        }
        if let other = schema["not"] as? [String: Any], of(other).violations(value).isEmpty {
            found.append("\(place) is what it must not be")
        }
        if let condition = schema["if"] as? [String: Any] {
            let branch = of(condition).violations(value).isEmpty ? "then" : "else"
            if let branch = schema[branch] as? [String: Any] { found += of(branch).violations(value, at: place) }
        }
        return found
    }

    private func objectViolations(_ object: [String: Any], _ place: String) -> [String] {
        var found: [String] = []
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        for name in schema["required"] as? [String] ?? [] where object[name] == nil { found.append("\(place) lacks \(name)") }
        for (name, member) in object.sorted(by: { $0.key < $1.key }) {
            if let property = properties[name] {
                found += of(property).violations(member, at: "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                found.append("\(place) has \(name), which is not described")
            } else if let other = schema["additionalProperties"] as? [String: Any] {
                found += of(other).violations(member, at: "\(place).\(name)")
            }
        }
        if schema["unevaluatedProperties"] as? Bool == false {
            for name in Set(object.keys).subtracting(describedProperties).sorted() {
                found.append("\(place) has \(name), which is not described")
            }
        }
        if let least = schema["minProperties"] as? Int, object.count < least { found.append("\(place) has fewer than \(least) members") }
        if let most = schema["maxProperties"] as? Int, object.count > most { found.append("\(place) has more than \(most) members") }
        return found
    }

    /// Here and in all parts of the composition.
    private var describedProperties: Set<String> {
        let parts = ["allOf", "anyOf", "oneOf"].flatMap { schema[$0] as? [[String: Any]] ?? [] }
        return parts.reduce(into: Set((schema["properties"] as? [String: Any] ?? [:]).keys)) { $0.formUnion(of($1).describedProperties) }
    }

    private func arrayViolations(_ array: [Any], _ place: String) -> [String] {
        var found: [String] = []
        if let items = schema["items"] as? [String: Any] {
            for (index, element) in array.enumerated() { found += of(items).violations(element, at: "\(place)[\(index)]") }
        }
        if let least = schema["minItems"] as? Int, array.count < least { found.append("\(place) has fewer than \(least) elements") }
        if let most = schema["maxItems"] as? Int, array.count > most { found.append("\(place) has more than \(most) elements") }
        if schema["uniqueItems"] as? Bool == true, Set(array.map { "\($0)" }).count < array.count {
            found.append("\(place) repeats itself")
        }
        return found
    }

    private func textViolations(_ text: String, _ place: String) -> [String] {
        var found: [String] = []
        let length = text.unicodeScalars.count
        if let least = schema["minLength"] as? Int, length < least { found.append("\(place) is shorter than \(least)") }
        if let most = schema["maxLength"] as? Int, length > most { found.append("\(place) is longer than \(most)") }
        if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
            found.append("\(place) does not match \(pattern)")
        }
        let fits =
            switch schema["format"] as? String {
            case nil: true
            case "date-time": text.hasSuffix("Z") && (try? Date(text, strategy: .iso8601)) != nil
            case "date": text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil
            case "uri": URL(string: text)?.scheme != nil
            case "email": text.contains("@")
            default: false
            }
        if !fits { found.append("\(place) has not the format \(schema["format"] ?? "")") }
        return found
    }

    private func numberViolations(_ number: Double, _ place: String) -> [String] {
        var found: [String] = []
        if let least = schema["minimum"].flatMap(Self.number), number < least { found.append("\(place) is less than \(least)") }
        if let most = schema["maximum"].flatMap(Self.number), number > most { found.append("\(place) is more than \(most)") }
        if let least = schema["exclusiveMinimum"].flatMap(Self.number), number <= least {
            found.append("\(place) is not more than \(least)")
        }
        if let most = schema["exclusiveMaximum"].flatMap(Self.number), number >= most { found.append("\(place) is not less than \(most)") }
        return found
    }

    private static func isA(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "null": value is NSNull
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int
        case "number": number(value) != nil
        default: false
        }
    }

    private static func number(_ value: Any) -> Double? {
        value as? Double ?? (value as? Int).map(Double.init)
    }

    private static func areEqual(_ a: Any, _ b: Any) -> Bool {
        "\(a)" == "\(b)" && (a is String) == (b is String)
    }
}

extension JSONValue {
    /// The value in Swift's own types, like YAML. Foundation's reader confuses 1 and true.
    var plain: Any {
        switch self {
        case .null: NSNull()
        case .bool(let flag): flag
        case .integer(let number): number
        case .number(let number): number
        case .string(let text): text
        case .array(let elements): elements.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }
}
