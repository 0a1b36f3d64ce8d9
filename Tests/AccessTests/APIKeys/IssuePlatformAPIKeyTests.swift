import Access
import Foundation
import Postgres
import Server
import Testing
import TestSupport

@Suite("Issue platform API key")
struct IssuePlatformAPIKeyTests {
    @Test("a new key of the platform works at once with its scopes, and its secret is only in this response")
    func issued() async throws {
        try await TestPlatform.run { platform in
            let body: [String: any Sendable] = ["name": "Second", "scopes": ["tenants:read", "api_keys:read"]]
            let issued = try await platform.call("POST", "/platform/api-keys", body)
            #expect(issued.status == 201, "\(issued.body)")
            let (id, secret) = (try #require(issued.string("id")), try #require(issued.string("secret")))
            #expect(issued.header("Location") == "/v1/platform/api-keys/\(id)")
            #expect(try await platform.call("GET", "/tenants/globex", key: secret).status == 200)
            #expect(try await platform.call("GET", "/platform/api-keys", key: secret).status == 200)
            #expect(try await platform.call("GET", "/platform/audit-events", key: secret).isProblem(403, "insufficient_scope"))
            let audit = try await platform.audit(id)
            #expect(audit.map(\.action) == ["issuePlatformAPIKey"])
            #expect(audit.first?.actor == platform.seeded.api_keys[0].id && audit.first?.after?.contains(secret) == false)
            #expect(
                try await platform.count("api_key", where: "name = 'Second' AND tenant_id = '\(UUID.platform)'") == 1)
        }
    }

    @Test("a scope that the caller lacks, a missing scope, a tenant's key and invalid members are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (narrow, issuer) = (try await platform.narrowKey(), try await platform.narrowKey("api_keys:write"))
            let (path, body) = ("/platform/api-keys", ["name": "Second", "scopes": ["tenants:read"]] as [String: any Sendable])
            #expect(try await platform.call("POST", path, key: narrow, body).isProblem(403, "insufficient_scope"))
            let more = try await platform.call("POST", path, key: issuer, body)
            #expect(more.isProblem(403, "insufficient_scope") && more.string("detail")?.contains("`tenants:read`") == true)
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret, body).isProblem(403, "operator_required"))
            let invalid = try await platform.call("POST", path, [:])
            #expect(invalid.refusedFields == ["name", "scopes"])
            #expect(try await platform.count("api_key", where: "name = 'Second'") == 0)
        }
    }
}
