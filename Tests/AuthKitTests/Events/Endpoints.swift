import Foundation
import Server
import TestSupport
import Testing

/// The requests that the tests of endpoints share.
enum Endpoints {
    static let path = "/webhook_endpoints"
    static let body: [String: any Sendable] = ["endpoint_url": "https://hooks.example.com/workos", "events": ["user.created"]]

    static func create(_ client: AuthKitClient, _ changes: [String: any Sendable] = [:], key: String? = nil) async throws
        -> TestBrowser.Answer
    {
        try await client.call("POST", path, key: key, body.merging(changes) { $1 })
    }

    /// Espalier's ID of an endpoint.
    static func webhook(_ id: String) -> String { "webhook_\(id.dropFirst("we_".count))" }
}
