import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete invitation")
struct DeleteInvitationTests {
    @Test("the link is of no use, the address can be invited again, and the trail has the deletion")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let invited = try await platform.invite("grace@example.com", as: "owner")
            let token = String(try #require(invited.string("url")).suffix(47))
            let digests = try #require(Invitation.digests(of: token, with: platform.settings.keyring))
            #expect(try await platform.ownerPool.run(Invitation.find(digests: digests)).count == 1)
            let path = "/tenants/acme/invitations/\(invited.resourceID)"
            // An admin can stop a leaked link to an owner's role.
            #expect(try await platform.call("DELETE", path, key: try await platform.acmeKey(.admin)).status == 204)
            #expect(try await platform.ownerPool.run(Invitation.find(digests: digests)).isEmpty)
            #expect(try await platform.call("DELETE", path).isProblem(404, "not_found"))
            #expect(try await platform.invite("grace@example.com").status == 201)
            #expect(try await platform.audit(invited.resourceID).map(\.action) == ["createInvitation", "deleteInvitation"])
        }
    }

    @Test("another tenant, a caller without the scope, and an old version are refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let id = try await platform.invite("grace@example.com").resourceID
            let path = "/tenants/acme/invitations/\(id)"
            #expect(
                try await platform.call("DELETE", "/tenants/globex/invitations/\(id)", key: platform.globex.api_keys[0].secret)
                    .isProblem(404, "not_found"))
            #expect(
                try await platform.call("DELETE", path, key: try await platform.acmeKey(["members:read"]))
                    .isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"old\"")]).isProblem(412, "precondition_failed"))
            #expect(try await platform.count("invitation") == 1)
        }
    }
}
