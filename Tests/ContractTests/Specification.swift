import Foundation
import TestSupport
import Yams

/// `openapi.yaml`, as far as these tests read it.
struct Specification: Sendable {
    struct Operation: Sendable, CustomStringConvertible {
        let method: String
        let path: String
        let id: String
        /// The scopes an API key needs; nil for an operation that takes no API key.
        let scopes: [String]?

        var description: String { id }
    }

    // Plain values, read once and never changed.
    nonisolated(unsafe) private let document: [String: Any]

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../openapi.yaml").standardizedFileURL
        guard let document = try Yams.load(yaml: String(contentsOf: file, encoding: .utf8)) as? [String: Any] else {
            throw TestSimulator.Refused(description: "openapi.yaml is no mapping")
        }
        self.document = document
    }

    private static let methods = ["get", "put", "post", "delete", "patch"]

    var operations: [Operation] {
        let paths = document["paths"] as? [String: [String: Any]] ?? [:]
        return paths.flatMap { path, item in
            item.compactMap { method, value -> Operation? in
                guard Self.methods.contains(method), let operation = value as? [String: Any], let id = operation["operationId"] as? String
                else { return nil }
                let security = operation["security"] as? [[String: [String]]] ?? []
                return Operation(
                    method: method.uppercased(), path: path, id: id, scopes: security.compactMap { $0["apiKey"] }.first)
            }
        }.sorted { $0.id < $1.id }
    }

    /// Each answer of each operation that has a schema in JSON, with its example if it has one.
    func answers(of operation: Operation) -> [(status: String, schema: [String: Any], example: Any?)] {
        let item = (document["paths"] as? [String: [String: Any]])?[operation.path]?[operation.method.lowercased()] as? [String: Any]
        return (item?["responses"] as? [String: [String: Any]] ?? [:]).flatMap { status, answer in
            (resolve(answer)["content"] as? [String: [String: Any]] ?? [:]).compactMap { type, content in
                guard type.hasSuffix("json"), let schema = content["schema"] as? [String: Any] else { return nil }
                return (status, schema, content["example"])
            }
        }
    }

    private func resolve(_ object: [String: Any]) -> [String: Any] {
        guard let reference = object["$ref"] as? String else { return object }
        var found: Any? = document
        for part in reference.dropFirst(2).split(separator: "/") { found = (found as? [String: Any])?[String(part)] }
        return found as? [String: Any] ?? [:]
    }

    /// What of a value breaks its schema; empty when nothing does. Knows the keywords that the spec uses.
    func violations(_ value: Any, of schema: [String: Any], at place: String = "$") -> [String] {
        let schema = resolve(schema)
        var found: [String] = []
        if let constant = schema["const"], "\(constant)" != "\(value)" { found.append("\(place) is not \(constant)") }
        if let choices = schema["enum"] as? [Any], !choices.contains(where: { "\($0)" == "\(value)" }) {
            found.append("\(place) is none of \(choices)")
        }
        switch schema["type"] as? String {
        case "object":
            guard let object = value as? [String: Any] else { return found + ["\(place) is no object"] }
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            for name in schema["required"] as? [String] ?? [] where object[name] == nil { found.append("\(place) lacks \(name)") }
            for (name, member) in object {
                if let property = properties[name] {
                    found += violations(member, of: property, at: "\(place).\(name)")
                } else if schema["additionalProperties"] as? Bool == false {
                    found.append("\(place) has \(name), which is not described")
                }
            }
        case "array":
            guard let array = value as? [Any] else { return found + ["\(place) is no array"] }
            let items = schema["items"] as? [String: Any] ?? [:]
            for (index, element) in array.enumerated() { found += violations(element, of: items, at: "\(place)[\(index)]") }
        case "string":
            guard let text = value as? String else { return found + ["\(place) is no string"] }
            if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
                found.append("\(place) does not match \(pattern)")
            }
            if schema["format"] as? String == "date-time", (try? Date(text, strategy: .iso8601)) == nil {
                found.append("\(place) is no time in RFC 3339")
            }
        case "integer":
            if !(value is Int) { found.append("\(place) is no integer") }
        case "boolean":
            if !(value is Bool) { found.append("\(place) is no Boolean") }
        default: break
        }
        return found
    }
}
