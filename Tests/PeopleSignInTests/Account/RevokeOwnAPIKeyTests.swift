import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Revoke own API key")
struct RevokeOwnAPIKeyTests {
    @Test("the page revokes a key that the person issued, with an event in the tenant's trail by this person and its session")
    func revokes() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            try await account.join(as: .developer)
            let (key, secret) = try await account.issueKey()
            #expect(try await platform.letsIn(secret))
            let path = "/account/api-keys/\(key)/revoke"
            let question = try await account.send(path, from: "/account/api-keys")
            #expect(question.status == 200 && question.body.contains("<h1>Revoke this API key?</h1>"))
            #expect(try await platform.letsIn(secret))
            let answer = try await account.browser.sendForm(path, of: question)
            #expect(answer.status == 303 && answer.location == "/account/api-keys?done=revoked")
            #expect(try await account.get("/account/api-keys?done=revoked").body.contains("The API key is revoked."))
            try await eventually("the key is refused") {
                try await platform.letsIn(secret) ? nil : true
            }
            let trail = try await platform.audit(key.description)
            #expect(trail.map(\.action) == ["revokeOwnAPIKey"] && trail[0].actor == account.id.description)
            let named = "action = 'revokeOwnAPIKey' AND session_id = '\(account.session)' AND tenant_id <> '\(UUID.platform)'"
            #expect(try await platform.count("audit_event", where: named) == 1)
            // The second time, nothing changes.
            let page = try await account.get("/account/name")
            let token = try #require(page.body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1
            let form = [("csrf", String(token)), ("confirmed", "yes")]
            #expect(try await account.browser.post(TestPlatform.publicURL + path, form: form).status == 303)
            #expect(try await platform.audit(key.description).count == 1)
        }
    }

    @Test("no form of another site, no old sign-in, no other person and nobody who has left revokes a key")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            try await account.join(as: .developer)
            let (key, _) = try await account.issueKey()
            let url = "\(TestPlatform.publicURL)/account/api-keys/\(key)/revoke"
            let confirmed = ("confirmed", "yes")
            func token(_ account: OwnAccount) async throws -> String {
                String(try #require(try await account.get("/account/name").body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1)
            }
            func isValid() async throws -> Bool {
                try await platform.count("api_key", where: "id = '\(key.uuid)' AND revoked_at IS NULL") == 1
            }

            let own = try await token(account)
            #expect(try await account.browser.post(url, form: [confirmed]).status == 400)
            let foreign = [("Origin", "https://evil.example")]
            #expect(try await account.browser.post(url, form: [("csrf", own), confirmed], headers: foreign).status == 400)
            #expect(try await isValid())

            let old = try await OwnAccount.make(platform, "Grace", signedIn: 660)
            try await old.join(as: .owner)
            let answer = try await old.browser.post(url, form: [("csrf", try await token(old)), confirmed])
            #expect(answer.location == "/account/sign-in?again=/account/api-keys")

            // An owner of the tenant revokes it over the REST API. The own account has only the person's keys.
            let other = try await OwnAccount.make(platform, "Mallory")
            try await other.join(as: .owner)
            _ = try await other.browser.post(url, form: [("csrf", try await token(other)), confirmed])
            #expect(try await isValid())

            let changes: [SQL] = [
                "UPDATE membership SET role = 'viewer' WHERE person_id = \(account.id)",
                "DELETE FROM membership WHERE person_id = \(account.id)",
            ]
            for change in changes {
                _ = try await platform.ownerPool.run(change)
                #expect(try await !account.get("/account/api-keys").body.contains(key.description))
                #expect(try await account.browser.post(url, form: [("csrf", own), confirmed]).status == 303)
                #expect(try await isValid())
            }
        }
    }
}
