import Foundation
import Server
import TestSupport

extension MushuClient {
    /// Calls a provider operation with an API key.
    /// - Parameters:
    ///   - path: the path below `auth-providers`.
    ///   - key: the key. Default: the tenant's own.
    ///   - application: the client ID below `apps`. Default: the one in the base URL.
    func provider(
        _ method: String, _ path: String, _ text: String? = nil, key: String? = nil, of application: String? = nil,
        idempotencyKey: String? = nil
    ) async throws -> TestBrowser.Answer {
        var headers = [("Authorization", "Bearer \(key ?? tenant.api_keys[0].secret)")]
        if let idempotencyKey { headers.append(("Idempotency-Key", idempotencyKey)) }
        return try await TestBrowser(platform).send(
            method, "\(base)/apps/\(application ?? self.application.client_id)/auth-providers\(path)",
            headers: headers + (text == nil ? [] : [("Content-Type", "application/json")]), body: text)
    }

    func provider(_ method: String, _ path: String, _ body: [String: any Sendable]) async throws -> TestBrowser.Answer {
        try await provider(method, path, String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
    }
}
