import Server
import TestSupport
import Testing

@Suite("Delete platform invitation")
struct DeletePlatformInvitationTests {
    @Test("an operator's link is deleted, and the invitation of a tenant is not found here")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let invited = try await platform.call("POST", "/platform/operators", ["email": "grace@example.com"])
            let tenants = try await platform.invite("grace@example.com")
            let path = "/platform/invitations"
            #expect(try await platform.call("DELETE", "\(path)/\(tenants.resourceID)").isProblem(404, "not_found"))
            #expect(
                try await platform.call("DELETE", "\(path)/\(invited.resourceID)", key: platform.acmeKey)
                    .isProblem(403, "operator_required"))
            #expect(try await platform.call("DELETE", "\(path)/\(invited.resourceID)").status == 204)
            #expect(try await platform.audit(invited.resourceID).map(\.action) == ["createOperator", "deletePlatformInvitation"])
            #expect(try await platform.count("invitation") == 1)
        }
    }
}
