import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("List invitations")
struct ListInvitationsTests {
    @Test("the list has the tenant's invitations with their states, newest first, and no link")
    func lists() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for name in ["one", "two", "three"] { ids.insert(try await platform.invite("\(name)@example.com").resourceID, at: 0) }
            let person = try await platform.addPerson("Ada")
            _ = try await platform.ownerPool.run([
                "UPDATE invitation SET expires_at = now() - interval '1 second' WHERE email = 'one@example.com'",
                "UPDATE invitation SET accepted_at = now(), person_id = \(person) WHERE email = 'two@example.com'",
            ])
            let page = try await platform.call("GET", "/tenants/acme/invitations", key: platform.acmeKey)
            #expect(page.ids == ids && page.data.map { $0["state"] as? String } == ["pending", "accepted", "expired"])
            #expect(!page.body.contains("inv_") && !page.body.contains("url"))
            #expect(try await platform.call("GET", "/tenants/globex/invitations").ids == [])
            let first = try await platform.call("GET", "/tenants/acme/invitations?limit=2")
            #expect(try await platform.call("GET", "/tenants/acme/invitations?after=\(first.cursor("after") ?? "")").ids == [ids[2]])
        }
    }
}
