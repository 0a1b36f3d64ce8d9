import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Notices to owners")
struct OwnerNoticesTests {
    @Test("the owners get a mail about each change of members by an operator, and none about their own")
    func changes() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                let (_, ada) = try await platform.addMember("Ada", as: .builtIn(.owner))
                let (member, _) = try await platform.addMember("Mary")
                func count() -> Int { mails.mails.count { $0.recipient == "ada@example.com" } }
                let (own, path) = (try await platform.startSession(ada).secret, "/tenants/acme/members/\(member)")
                #expect(try await platform.call("PATCH", path, key: own, ["role": "billing"]).status == 200)
                #expect(try await platform.call("PATCH", path, key: platform.acmeKey, ["role": "viewer"]).status == 200)
                let (_, secret) = try await platform.addOperator()
                #expect(try await platform.startSupport(secret).status == 201)
                try await eventually("the mail about the support access") { count() == 1 }
                let body: [String: any Sendable] = ["email": "new@example.com", "role": "owner", "send_mail": false]
                #expect(try await platform.call("POST", "/tenants/acme/invitations", key: secret, body).status == 201)
                try await eventually("the first mail") { count() == 2 }
                #expect(try await platform.call("PATCH", path, key: secret, ["role": "developer"]).status == 200)
                try await eventually("the second mail") { count() == 3 }
                #expect(try await platform.call("DELETE", path, key: secret).status == 204)
                try await eventually("the third mail") { count() == 4 }
                let invitation = try await platform.invite("late@example.com").resourceID
                #expect(try await platform.call("DELETE", "/tenants/acme/invitations/\(invitation)", key: secret).status == 204)
                try await eventually("the fourth mail") { count() == 5 }
                let sent = mails.mails.filter { $0.recipient == "ada@example.com" }.compactMap { $0.part("plain") }
                #expect(sent[0].contains("espalierctl support end support_") && sent[0].contains(" --tenant acme"))
                let changes = [
                    "Invited: new@example.com. Role: Owner.", "New role of mary@example.com: Developer. Earlier role: Viewer.",
                    "Removed: mary@example.com. Role: Developer.", "Invitation deleted: late@example.com. Role: ",
                ]
                for (mail, change) in zip(sent.dropFirst(), changes) {
                    #expect(mail.contains("Grace, an operator of login.test, changed the members") && mail.contains(change), "\(mail)")
                }
            }
        }
    }
}
