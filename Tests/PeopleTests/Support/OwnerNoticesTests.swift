import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Notices to owners")
struct OwnerNoticesTests {
    @Test("the owners get a mail if an operator's key makes or ends an owner, and if an operator deletes an invitation")
    func changes() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                let (_, ada) = try await platform.addMember("Ada", as: .builtIn(.owner))
                let (member, _) = try await platform.addMember("Mary")
                func count() -> Int { mails.mails.count { $0.recipient == "ada@example.com" } }
                let (own, path) = (try await platform.startSession(ada).secret, "/tenants/acme/members/\(member)")
                #expect(try await platform.call("PATCH", path, key: own, ["role": "owner"]).status == 200)
                #expect(try await platform.call("PATCH", path, key: platform.acmeKey, ["role": "viewer"]).status == 200)
                let (_, secret) = try await platform.addOperator()
                #expect(try await platform.startSupport(secret).status == 201)
                try await eventually("the mail about the support access") { count() == 1 }
                // A machine may manage the other members each day.
                #expect(try await platform.call("PATCH", path, ["role": "developer"]).status == 200)
                let body: [String: any Sendable] = ["email": "new@example.com", "role": "owner", "send_mail": false]
                #expect(try await platform.call("POST", "/tenants/acme/invitations", body).status == 201)
                try await eventually("the mail about the invitation") { count() == 2 }
                #expect(try await platform.call("PATCH", path, ["role": "owner"]).status == 200)
                try await eventually("the mail about the new owner") { count() == 3 }
                #expect(try await platform.call("DELETE", path).status == 204)
                try await eventually("the mail about the end") { count() == 4 }
                let invitation = try await platform.invite("late@example.com").resourceID
                #expect(try await platform.call("DELETE", "/tenants/acme/invitations/\(invitation)", key: secret).status == 204)
                try await eventually("the mail about the deletion") { count() == 5 }
                let sent = mails.mails.filter { $0.recipient == "ada@example.com" }.compactMap { $0.part("plain") }
                #expect(sent[0].hasPrefix("grace@example.com, an operator of login.test, started") && !sent[0].contains("Grace"))
                #expect(sent[0].contains("espalierctl support end support_") && sent[0].contains(" --tenant acme"))
                let changes = [
                    ("apikey_", "Invited: new@example.com. Role: Owner."),
                    ("apikey_", "New role of mary@example.com: Owner. Earlier role: Developer."),
                    ("apikey_", "Removed: mary@example.com. Role: Owner."),
                    ("grace@example.com", "Invitation deleted: late@example.com. Role: "),
                ]
                for (mail, change) in zip(sent.dropFirst(), changes) {
                    #expect(mail.hasPrefix(change.0) && mail.contains(", an operator of login.test, changed the members"), "\(mail)")
                    #expect(mail.contains(change.1), "\(mail)")
                }
            }
        }
    }

    @Test("a role of the tenant with all scopes of an owner counts as an owner")
    func ownRole() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                _ = try await platform.addMember("Ada", as: .builtIn(.owner))
                let (member, _) = try await platform.addMember("Mary")
                func role(_ name: String, _ scopes: Set<APIKey.Scope>) async throws -> String {
                    let body: [String: any Sendable] = ["name": name, "scopes": scopes.map(\.rawValue).sorted()]
                    return try await platform.call("POST", "/tenants/acme/roles", body).resourceID
                }
                let all = try await role("Helper", BuiltInRole.owner.scopes)
                let most = try await role("Desk", BuiltInRole.owner.scopes.subtracting([.pricingWrite]))
                let path = "/tenants/acme/members/\(member)"
                #expect(try await platform.call("PATCH", path, ["role": most]).status == 200)
                func sent() -> [String] { mails.mails.filter { $0.recipient == "ada@example.com" }.compactMap { $0.part("plain") } }
                func expect(_ count: Int, _ change: String) async throws {
                    try await eventually("the mail: \(change)") { sent().count == count }
                    #expect(sent().last?.contains(change) == true, "\(sent())")
                }
                #expect(try await platform.call("PATCH", path, ["role": all]).status == 200)
                try await expect(1, "New role of mary@example.com: Helper. Earlier role: Desk.")
                #expect(try await platform.call("DELETE", path).status == 204)
                try await expect(2, "Removed: mary@example.com. Role: Helper.")
                let body: [String: any Sendable] = ["email": "new@example.com", "role": all, "send_mail": false]
                let invited = try await platform.call("POST", "/tenants/acme/invitations", body)
                try await expect(3, "Invited: new@example.com. Role: Helper.")
                #expect(try await platform.call("DELETE", "/tenants/acme/invitations/\(invited.resourceID)").status == 204)
                try await expect(4, "Invitation deleted: new@example.com. Role: Helper.")
            }
        }
    }

    @Test("the other owners of each tenant get a mail if an operator deletes the account of an owner")
    func account() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                _ = try await platform.addMember("Ada", as: .builtIn(.owner))
                _ = try await platform.addMember("Edith", as: .builtIn(.owner), of: platform.globexID)
                let (_, mary) = try await platform.addMember("Mary", as: .builtIn(.owner))
                _ = try await platform.ownerPool.run(
                    Membership.insert(ID(at: Date()), of: mary, as: .builtIn(.owner), owner: platform.globexID, at: Date()))
                let (_, annie) = try await platform.addMember("Annie", as: .builtIn(.owner))
                let (_, jean) = try await platform.addMember("Jean", as: .builtIn(.admin))
                let (_, secret) = try await platform.addOperator()
                func sent(to recipient: String) -> [String] {
                    mails.mails.filter { $0.recipient == recipient }.compactMap { $0.part("plain") }
                }
                // The deletion of an admin causes no mail.
                #expect(try await platform.call("DELETE", "/platform/people/\(jean)", key: secret).status == 204)
                #expect(try await platform.call("DELETE", "/platform/people/\(mary)").status == 204)
                try await eventually("the mails about the first deletion") {
                    sent(to: "ada@example.com").count == 1 && sent(to: "edith@example.com").count == 1
                }
                #expect(try await platform.call("DELETE", "/platform/people/\(annie)", key: secret).status == 204)
                try await eventually("the mail about the second deletion") { sent(to: "ada@example.com").count == 2 }
                let ada = sent(to: "ada@example.com")
                for mail in [ada[0]] + sent(to: "edith@example.com") {
                    #expect(mail.hasPrefix("apikey_") && mail.contains("Removed: mary@example.com. Role: Owner."), "\(mail)")
                }
                #expect(ada[1].hasPrefix("grace@example.com") && ada[1].contains("Removed: annie@example.com. Role: Owner."), "\(ada[1])")
                #expect(sent(to: "mary@example.com").isEmpty && sent(to: "edith@example.com").count == 1)
            }
        }
    }
}
