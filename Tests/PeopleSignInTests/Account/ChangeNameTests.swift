import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Change name")
struct ChangeNameTests {
    @Test("the name changes for all tenants, with an event, and an invisible or empty one is refused beside its field")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 3600)
            let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: account.id, as: .builtIn(.viewer), owner: tenant, at: Date()))
            for name in ["", " ", "\u{202E}Ada", "\u{200D}", String(repeating: "a", count: 201)] {
                let refused = try await account.send("/account/name", [("name", name)], from: "/account/name")
                #expect(refused.status == 400 && refused.body.contains("role=\"alert\""), "\(Array(name.utf8))")
            }
            let name = "Ada \u{0600}\u{0301} <b>"
            #expect(try await account.send("/account/name", [("name", name)], from: "/account/name").status == (400))
            let changed = try await account.send("/account/name", [("name", "A\u{0301}da <b>")], from: "/account/name")
            #expect(changed.status == 303 && changed.location == "/account")
            #expect(try await account.get("/account").body.contains("A\u{0301}da &lt;b&gt;"))
            #expect(try await platform.count("membership", where: "name LIKE 'A%da <b>'") == 1)
            #expect(try await account.actions() == ["changeName"])
        }
    }
}
