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
}
