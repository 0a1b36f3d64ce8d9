import Server
import TestSupport
import Testing

@Suite("List platform invitations")
struct ListPlatformInvitationsTests {
    @Test("the list has the invitations of operators and those of no tenant, without the links")
    func lists() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.invite("grace@example.com").status == 201)
            let invited = try await platform.call("POST", "/platform/operators", ["email": "grace@example.com"])
            let page = try await platform.call("GET", "/platform/invitations")
            #expect(page.ids == [invited.resourceID] && !page.body.contains("inv_"))
            #expect(try await platform.call("GET", "/platform/invitations", key: platform.acmeKey).isProblem(403, "operator_required"))
        }
    }
}
