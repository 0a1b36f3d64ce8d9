import Crypto
import Foundation
import Server
import TestSupport

/// A request in the form of the spec: its example as the body, the required query (and `seconds`, so that no stream lasts long), and an `If-Match` that matches everything.
/// Only a private key is real, because the spec contains a shortened one.
func send(
    _ operation: Specification.Operation, _ path: String, key: String?, body: String?,
    headers more: [(String, String)] = [("If-Match", "*")],
    _ platform: TestPlatform
) async throws -> TestBrowser.Answer {
    var headers = key.map { [("Authorization", "Bearer \($0)")] } ?? []
    headers += more.filter { header, _ in operation.takes(header: header) }
    if body != nil { headers.append(("Content-Type", operation.mediaType)) }
    let query = operation.parameters.filter { $0.place == "query" && ($0.isRequired || $0.name == "seconds") }.map { parameter in
        // A deletion names its object twice, by the slug.
        "\(parameter.name)=\(parameter.name == "confirm" ? "acme" : parameter.example ?? "")"
    }
    return try await TestBrowser(platform).send(
        operation.method,
        TestPlatform.publicURL + path.replacing("?seconds=1", with: "") + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
        headers: headers,
        body: try body.map(withRealKey))
}

private func withRealKey(_ body: String) throws -> String {
    guard var object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any],
        let key = object["private_key"] as? String, key.contains("…")
    else { return body }
    object["private_key"] = P256.Signing.PrivateKey().pemRepresentation
    return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
}
