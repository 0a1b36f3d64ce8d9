import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create operator")
struct CreateOperatorTests {
    @Test("the link is valid for 24 hours, and the platform's trail has it")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("POST", "/platform/operators", ["email": "grace@example.com"])
            #expect(answer.status == 201 && answer.string("role") == "operator", "\(answer.body)")
            #expect(answer.string("url")?.hasPrefix("https://login.test/account/invitation?token=inv_") == true)
            let lifetime = time(answer.string("expires_at") ?? "").timeIntervalSince(time(answer.string("created_at") ?? ""))
            #expect(abs(lifetime - 86400) <= 1)
            let owner = try await platform.ownerPool.run("SELECT tenant_id FROM audit_event WHERE subject = \(answer.resourceID)")
            #expect(try owner.map { try $0.get("tenant_id", as: UUID.self) } == [UUID.platform])
            #expect(try await platform.call("POST", "/platform/operators", ["email": "GRACE@example.com"]).isProblem(409, "conflict"))
        }
    }

    @Test("a key without every scope, and a tenant's key with every scope, make no operator")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey("members:write")
            let body: [String: any Sendable] = ["email": "grace@example.com"]
            #expect(try await platform.call("POST", "/platform/operators", key: narrow, body).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("POST", "/platform/operators", key: platform.acmeKey, body).isProblem(403, "operator_required"))
            for field in ["role", "expires_at", "scopes"] {
                let answer = try await platform.call("POST", "/platform/operators", body.merging([field: "owner"]) { $1 })
                #expect(answer.status == 400 && answer.body.contains(field))
            }
            #expect(try await platform.count("invitation") == 0)
        }
    }
}
