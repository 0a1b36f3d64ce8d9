import Access
import Factors
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("New network")
struct NewNetworkTests {
    @Test("a sign-in from a network without an earlier session mails a notice, and the next one does not")
    func notices() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            // Its session is from another network.
            let account = try await OwnAccount.make(platform)
            var client = PersonClient(platform, account.email)
            client.key = account.app.bytes
            #expect(try await client.signIn().location == "/account")
            let notice = try #require(try await mails.mail(to: account.email).part("plain"))
            for text in ["from a new network", "Network address: 127.0.0.1", "Time: 20", " UTC"] { #expect(notice.contains(text)) }
            var other = PersonClient(platform, account.email)
            other.key = account.app.bytes
            #expect(try await other.signIn(1).location == "/account")
            #expect(mails.mails.count == 1)
            #expect(try await platform.count("mail") == 0)
        }
    }
}
