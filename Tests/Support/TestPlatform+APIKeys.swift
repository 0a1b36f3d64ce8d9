import Foundation
import Postgres
import Server
import Testing

extension TestPlatform {
    package var operatorKey: String { seeded.api_keys[0].secret }

    /// Issues a key of Acme, by default with Acme's own key.
    package func issue(
        _ name: String = "New", scopes: [String] = ["tenants:read"], key: String? = nil, expiresAt: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        var body: [String: any Sendable] = ["name": name, "scopes": scopes]
        if let expiresAt { body["expires_at"] = expiresAt }
        return try await call("POST", "/tenants/acme/api-keys", key: key ?? acme.api_keys[0].secret, body, headers: headers)
    }

    /// Whether the API accepts a key of Acme.
    package func letsIn(_ secret: String) async throws -> Bool {
        try await call("GET", "/tenants/acme", key: secret).status == 200
    }

    /// The audit trail's actions on a subject, in order, with the states before and after.
    package func audit(_ subject: String) async throws -> [(action: String, actor: String, before: String?, after: String?)] {
        try await ownerPool.run(
            "SELECT action, actor, before::text AS before, after::text AS after FROM audit_event WHERE subject = \(subject) ORDER BY sequence"
        ).map { (try $0.get("action"), try $0.get("actor"), try $0.get("before"), try $0.get("after")) }
    }
}
