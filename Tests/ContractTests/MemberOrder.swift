import Foundation
import TestSupport
import Yams

/// The order of an object's members in `openapi.yaml`, to compare with JSON.
///
/// JSON is YAML, and Yams preserves the order of a mapping. Foundation's readers lose it.
struct MemberOrder: Sendable {
    nonisolated(unsafe) private static let spec: Node? = {
        let file = URL(filePath: #filePath).appending(path: "../../../openapi.yaml").standardizedFileURL
        return (try? String(contentsOf: file, encoding: .utf8)).flatMap { try? Yams.compose(yaml: $0) }
    }()

    // Read once and never changed.
    nonisolated(unsafe) private let document: Node

    init() throws {
        document = try Self.spec.orRefuse("openapi.yaml cannot be read")
    }

    /// Returns the objects of a response with another member order than the spec.
    func violations(_ answer: TestBrowser.Answer, of operation: Specification.Operation, mediaType: String) -> [String] {
        let described = ["paths", operation.path, operation.method.lowercased(), "responses", "\(answer.status)"]
        return violations(json: answer.body, at: described + ["content", mediaType, "schema"])
    }

    /// Returns the objects of a webhook's body with another member order than the spec.
    func violations(body: String, ofEvent type: String) -> [String] {
        violations(json: body, at: ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"])
    }

    /// Returns the names in the spec for the data of an event, in their order.
    func members(ofEvent type: String) -> [String] {
        find(["webhooks", type, "post", "requestBody", "content", "application/json", "schema", "properties", "data"])
            .map { properties(of: $0).map(\.name) } ?? []
    }

    var events: [String] { document.member("webhooks")?.mapping?.keys.compactMap(\.string) ?? [] }

    func violations(json: String, at path: [String]) -> [String] {
        guard let schema = find(path) else { return ["\(path.joined(separator: "/")) is not in the spec"] }
        guard let value = try? Yams.compose(yaml: json) else { return ["\(json.prefix(200)) cannot be read"] }
        return violations(value, schema, "$")
    }

    private func violations(_ value: Node, _ schema: Node, _ place: String) -> [String] {
        switch value {
        case .mapping(let members):
            let described = properties(of: schema)
            let found: [String] = members.keys.compactMap(\.string).filter { name in described.contains { $0.name == name } }
            let expected = described.map(\.name).filter(found.contains)
            return (found == expected ? [] : ["\(place) has the order \(found), and the spec has \(expected)"])
                + members.flatMap { key, member in
                    described.first { $0.name == key.string }.map { violations(member, $0.schema, "\(place).\($0.name)") } ?? []
                }
        case .sequence(let elements):
            guard let items = resolve(schema).member("items") else { return [] }
            return elements.enumerated().flatMap { violations($1, items, "\(place)[\($0)]") }
        default: return []
        }
    }

    /// Returns the properties of the schema itself, then the properties of its parts.
    private func properties(of schema: Node) -> [(name: String, schema: Node)] {
        let schema = resolve(schema)
        let own = (schema.member("properties")?.mapping).map { mapping in
            mapping.compactMap { key, value in key.string.map { (name: $0, schema: value) } }
        }
        let parts = ["allOf", "oneOf", "anyOf"].flatMap { schema.member($0)?.sequence.map(Array.init) ?? [] }
        return (own ?? []) + parts.flatMap(properties)
    }

    private func find(_ path: [String]) -> Node? {
        path.reduce(document as Node?) { node, part in node.map(resolve)?.member(part) }
    }

    private func resolve(_ node: Node) -> Node {
        guard let reference = node.member("$ref")?.string else { return node }
        let parts = reference.dropFirst(2).split(separator: "/").map(String.init)
        return find(parts).map(resolve) ?? node
    }
}

extension Node {
    /// Returns a member by its text. The subscript of `Node` reads `200` as a number, but the spec has the string
    /// `"200"`. A merge key (`<<`) adds the members of another mapping.
    fileprivate func member(_ name: String) -> Node? {
        mapping?.first { $0.key.scalar?.string == name }?.value ?? mapping?.first { $0.key.scalar?.string == "<<" }?.value.member(name)
    }
}

extension Optional {
    fileprivate func orRefuse(_ description: String) throws -> Wrapped {
        guard let self else { throw TestSimulator.Refused(description: description) }
        return self
    }
}
