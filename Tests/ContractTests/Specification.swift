import Encoding
import Foundation
import TestSupport
import Yams

/// The part of `openapi.yaml` that these tests read. `script/check-spec` checks everything that needs no server.
struct Specification: Sendable {
    struct Parameter: Sendable {
        let name: String
        let place: String
        let isRequired: Bool
        let example: String?
    }

    struct Operation: Sendable, CustomStringConvertible {
        let method: String
        let path: String
        let id: String
        /// The required scopes of an API key; nil for an operation without API keys.
        let scopes: [String]?
        /// The required scopes of an operation of WorkOS's interface, which only a tenant's own key may call.
        let organizationScopes: [String]?
        /// Whether a tenant's key is rejected regardless of its scopes (`x-operators-only`).
        let isForOperators: Bool
        /// Whether a person must have signed in a short time ago (`x-recent-sign-in`).
        let needsRecentSignIn: Bool
        let parameters: [Parameter]
        /// The example bodies in the spec, as text.
        let requests: [String]
        /// The media type of the bodies: JSON, except for an operation without JSON.
        let mediaType: String

        var description: String { id }

        /// Whether it needs no API key.
        var isOpen: Bool { scopes == nil && organizationScopes == nil }
        var isForTenants: Bool { path.contains("/{tenant}") }
        /// Whether it names no tenant, and a tenant's key still reads its own data.
        var isForAnyKey: Bool { scopes != nil && !isForTenants && !isForOperators }
        /// The names in the path, except for the tenant's.
        var things: [String] { parameters.filter { $0.place == "path" && $0.name != "tenant" }.map(\.name) }

        /// The bodies to send: each example in the spec, or none.
        var bodies: [String?] { requests.isEmpty ? [nil] : requests }

        func takes(header name: String) -> Bool {
            parameters.contains { $0.place == "header" && $0.name.lowercased() == name.lowercased() }
        }

        func requires(header name: String) -> Bool {
            parameters.contains { $0.place == "header" && $0.name.lowercased() == name.lowercased() && $0.isRequired }
        }
    }

    /// One described response: a status, and a media type if it has a body.
    struct Answer {
        let status: String
        let mediaType: String?
        let schema: [String: Any]?
        let headers: Set<String>
    }

    // Plain values, read once and never changed.
    nonisolated(unsafe) private let document: [String: Any]
    private let order: MemberOrder

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../openapi.yaml").standardizedFileURL
        guard let document = try Yams.load(yaml: String(contentsOf: file, encoding: .utf8)) as? [String: Any] else {
            throw TestSimulator.Refused(description: "openapi.yaml is not a mapping")
        }
        self.document = document
        order = try MemberOrder()
    }

    private static let methods = ["get", "put", "post", "delete", "patch"]

    /// In the order of their names.
    var operations: [Operation] {
        let paths = document["paths"] as? [String: [String: Any]] ?? [:]
        return paths.flatMap { path, item in
            item.compactMap { method, value -> Operation? in
                guard Self.methods.contains(method), let operation = value as? [String: Any], let id = operation["operationId"] as? String
                else { return nil }
                let security = operation["security"] as? [[String: [String]]] ?? []
                return Operation(
                    method: method.uppercased(), path: path, id: id, scopes: security.compactMap { $0["apiKey"] }.first,
                    organizationScopes: security.compactMap { $0["organizationKey"] }.first,
                    isForOperators: operation["x-operators-only"] as? Bool ?? false,
                    needsRecentSignIn: operation["x-recent-sign-in"] as? Bool ?? false,
                    parameters: [item, operation].flatMap { $0["parameters"] as? [[String: Any]] ?? [] }.compactMap(parameter),
                    requests: requests(of: operation), mediaType: textBody(of: operation)?.mediaType ?? "application/json")
            }
        }.sorted { $0.id < $1.id }
    }

    private func parameter(_ value: [String: Any]) -> Parameter? {
        let value = resolve(value)
        guard let name = value["name"] as? String, let place = value["in"] as? String else { return nil }
        return Parameter(
            name: name, place: place, isRequired: value["required"] as? Bool ?? false, example: value["example"].map { "\($0)" })
    }

    private func requests(of operation: [String: Any]) -> [String] {
        let content = resolve(operation["requestBody"] as? [String: Any] ?? [:])["content"] as? [String: [String: Any]] ?? [:]
        guard let json = content["application/json"] else { return textBody(of: operation).map { [$0.example] } ?? [] }
        let named = (json["examples"] as? [String: [String: Any]] ?? [:]).sorted { $0.key < $1.key }.compactMap { $0.value["value"] }
        return ((json["example"].map { [$0] } ?? []) + named).compactMap { example in
            (try? JSONSerialization.data(withJSONObject: example)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The example of a body that is text and not JSON, such as a picture in SVG.
    private func textBody(of operation: [String: Any]) -> (mediaType: String, example: String)? {
        let content = resolve(operation["requestBody"] as? [String: Any] ?? [:])["content"] as? [String: [String: Any]] ?? [:]
        guard content["application/json"] == nil else { return nil }
        return content.sorted { $0.key < $1.key }.lazy.compactMap { type, body in
            type.hasPrefix("application/x-www-form") ? nil : (body["example"] as? String).map { (type, $0) }
        }.first
    }

    /// The responses of an operation, without `default`, which covers unexpected errors.
    func answers(of operation: Operation) -> [Answer] {
        let item = (document["paths"] as? [String: [String: Any]])?[operation.path]?[operation.method.lowercased()] as? [String: Any]
        return (item?["responses"] as? [String: [String: Any]] ?? [:]).filter { $0.key != "default" }.flatMap { status, answer in
            let answer = resolve(answer)
            let headers = Set((answer["headers"] as? [String: Any] ?? [:]).keys)
            let content = answer["content"] as? [String: [String: Any]] ?? [:]
            if content.isEmpty { return [Answer(status: status, mediaType: nil, schema: nil, headers: headers)] }
            return content.map { Answer(status: status, mediaType: $0, schema: $1["schema"] as? [String: Any], headers: headers) }
        }
    }

    /// Returns the violations of the spec in a webhook's data, and its undescribed members.
    func violations(data: Data, of event: String) throws -> [String] {
        var found: Any? = document
        for part in [
            "webhooks", event, "post", "requestBody", "content", "application/json", "schema", "properties", "data",
        ] { found = (found as? [String: Any])?[part] }
        guard let schema = found as? [String: Any] else { return ["\(event) is not described"] }
        let value = try JSONValue(json: Array(data)).plain
        let described = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
        let unknown = Set((value as? [String: Any] ?? [:]).keys).subtracting(described).sorted()
        return unknown.map { "\($0) is not described" } + JSONSchema(schema, resolve: resolve).violations(value)
    }

    /// Returns the reason why a real response is not one of those in the spec; empty if it is one.
    func violations(_ answer: TestBrowser.Answer, of operation: Operation) -> [String] {
        let described = answers(of: operation).filter { $0.status == "\(answer.status)" }
        guard !described.isEmpty else { return ["\(answer.status) is not described"] }
        let type = answer.header("Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard let match = described.first(where: { $0.mediaType == type || $0.mediaType == nil && answer.body.isEmpty }) else {
            return ["\(answer.status) is described as \(described.map { $0.mediaType ?? "empty" }), not as \(type ?? "empty")"]
        }
        var found: [String] = []
        if (200..<300).contains(answer.status) {
            // Only a replayed response has the first one, and only a response to a proof the second one.
            let expected = match.headers.subtracting(["Idempotent-Replayed", "DPoP-Nonce"])
            found += expected.filter { answer.header($0) == nil }.sorted().map { "the header \($0) is missing" }
        }
        if let schema = match.schema, match.mediaType?.hasSuffix("json") == true {
            guard let value = try? JSONValue(json: Array(answer.body.utf8)) else {
                return found + ["it is not JSON"]
            }
            found += JSONSchema(schema, resolve: resolve).violations(value.plain)
            found += order.violations(answer, of: operation, mediaType: match.mediaType ?? "")
        }
        return found
    }

    func resolve(_ object: [String: Any]) -> [String: Any] {
        guard let reference = object["$ref"] as? String else { return object }
        var found: Any? = document
        for part in reference.dropFirst(2).split(separator: "/") { found = (found as? [String: Any])?[String(part)] }
        return found as? [String: Any] ?? [:]
    }
}
