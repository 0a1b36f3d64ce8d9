import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Mailed invitation")
struct MailedInvitationTests {
    @Test("with a mail server, the link is only in the mail; a copied one is for callers who ask for it")
    func mails() async throws {
        try await TestMailServer.run { server in
            let settings = try server.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                let mailed = try await platform.invite("grace@example.com", as: "admin")
                #expect(mailed.status == 201 && mailed.json["is_mailed"] as? Bool == true && mailed.string("url") == nil)
                #expect(try await platform.count("invitation", where: "mail_id IS NOT NULL") == 1)
                let key = platform.acmeKey
                let copied = try await platform.call(
                    "POST", "/tenants/acme/invitations", key: key, ["email": "alan@example.com", "role": "viewer", "send_mail": false])
                #expect(copied.json["is_mailed"] as? Bool == false && copied.string("url") != nil)
                #expect(try await platform.count("invitation") == 2)
            }
        }
    }

    @Test("without a mail server, a mail is refused, and the link is shown by default")
    func withoutServer() async throws {
        try await TestPlatform.run { platform in
            let refused = try await platform.call(
                "POST", "/tenants/acme/invitations", ["email": "grace@example.com", "role": "viewer", "send_mail": true])
            #expect(refused.isProblem(409, "conflict"))
            #expect(try await platform.count("invitation") == 0)
            let shown = try await platform.invite("grace@example.com")
            #expect(shown.json["is_mailed"] as? Bool == false && shown.string("url") != nil)
        }
    }
}
