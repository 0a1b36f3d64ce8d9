import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show membership")
struct ShowMembershipTests {
    @Test("the page asks before a person leaves, and has no membership of another person")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let (account, other) = (try await OwnAccount.make(platform), try await OwnAccount.make(platform, "Grace"))
            let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid
            let (own, foreign) = (ID<Membership>(at: Date()), ID<Membership>(at: Date()))
            _ = try await platform.ownerPool.run([
                Membership.insert(own, of: account.id, as: .builtIn(.viewer), owner: tenant, at: Date()),
                Membership.insert(foreign, of: other.id, as: .builtIn(.viewer), owner: tenant, at: Date()),
            ])
            let page = try await account.get("/account/memberships/\(own)")
            #expect(page.status == 200 && page.body.contains("Leave Acme?") && page.body.contains("/\(own)/leave\""))
            for id in [foreign.description, "x"] { #expect(try await account.get("/account/memberships/\(id)").location == "/account") }
            #expect(try await platform.count("membership") == 2)
            let operation = ID<Membership>(at: Date())
            _ = try await platform.ownerPool.run(
                Membership.insert(operation, of: account.id, as: .builtIn(.platformOperator), owner: .platform, at: Date()))
            let question = try await account.get("/account/memberships/\(operation)")
            #expect(question.body.contains("<h1>Leave this installation as an operator?</h1>"))
            #expect(question.body.contains("You are the only operator.") && question.body.contains("/\(operation)/leave\""))
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: other.id, as: .builtIn(.platformOperator), owner: .platform, at: Date()))
            #expect(try await !account.get("/account/memberships/\(operation)").body.contains("only operator"))
        }
    }
}
