import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Leave tenant")
struct LeaveTenantTests {
    private static func join(_ account: OwnAccount, as role: BuiltInRole) async throws -> ID<Membership> {
        let (id, tenant) = (ID<Membership>(at: Date()), try #require(ID<Tenant>(account.platform.acme.id)).uuid)
        _ = try await account.platform.ownerPool.run(Membership.insert(id, of: account.id, as: .builtIn(role), owner: tenant, at: Date()))
        return id
    }

    @Test("a member leaves, with an event in the tenant's trail by this person")
    func leaves() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let id = try await Self.join(account, as: .developer)
            let path = "/account/memberships/\(id)"
            #expect(try await account.get(path).body.contains("Acme"))
            #expect(try await account.send("\(path)/leave", from: path).status == 303)
            #expect(try await platform.count("membership") == 0)
            let trail = try await platform.audit(id.description)
            #expect(trail.map(\.action) == ["leaveTenant"] && trail[0].actor == account.id.description)
        }
    }

    @Test("the last owner stays, even if the last two leave at the same time, and nobody leaves for another person")
    func lastOwner() async throws {
        try await TestPlatform.run { platform in
            let accounts = [try await OwnAccount.make(platform), try await OwnAccount.make(platform, "Grace")]
            var paths: [String] = []
            for account in accounts { paths.append("/account/memberships/\(try await Self.join(account, as: .owner))") }
            var pages: [(path: String, page: TestBrowser.Answer)] = []
            for (account, path) in zip(accounts, paths) { pages.append((path, try await account.get(path))) }
            let foreign = try await accounts[1].browser.get("\(TestPlatform.publicURL)\(pages[0].path)")
            #expect(foreign.status == 303)
            let (one, other) = (pages[0], pages[1])
            async let first = accounts[0].browser.sendForm("\(one.path)/leave", of: one.page)
            async let second = accounts[1].browser.sendForm("\(other.path)/leave", of: other.page)
            let statuses = [try await first.status, try await second.status].sorted()
            #expect(statuses == [303, 409])
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)
            // The one who stayed sees the reason, and no way to leave.
            var stayed = 0
            for (account, path) in zip(accounts, paths) where try await account.get(path).status == 200 {
                stayed += 1
                for page in [try await account.get("/account"), try await account.get(path)] {
                    #expect(page.body.contains("You are the last owner, so you cannot leave.") && !page.body.contains("leave\""))
                }
                #expect(try await !account.get("/account").body.contains("/account/memberships/"))
            }
            #expect(stayed == 1)
        }
    }
}
