import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Delete own user")
struct DeleteOwnUserTests {
    @Test("an application of a third party deletes no user, even if its user signed in a moment ago")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let client = login.request.application.client_id
            let changed = try await platform.call("PATCH", "/tenants/acme/applications/\(client)", ["is_third_party": true])
            #expect(changed.status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await platform.deleteOwnUser(login.access, of: platform.acme).isOAuthError(403, "insufficient_scope"))
            #expect(try await login.lasts())
        }
    }

    @Test("one call with the user's token deletes the user here at once and at Apple soon; a later sign-up is a new user")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (login, other) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            let second = try await platform.login("Grace Hopper", application: 1)
            let answer = try await platform.deleteOwnUser(login.access, of: platform.acme)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.headers["Cache-Control"] == ["no-store"])
            #expect(answer.string("object") == "user_deletion")
            #expect(answer.string("user_id") == login.user)
            #expect(answer.string("requester") == "user")
            #expect(answer.string("requested_by") == login.request.application.client_id)
            #expect(answer.string("status") == "pending")
            let grants = try #require(answer.json["apple"] as? [[String: any Sendable]])
            #expect(grants.map { $0["team_id"] as? String } == [platform.own.team])
            #expect(grants.map { $0["client_id"] as? String } == [platform.own.servicesID])

            for session in [login, second] { #expect(try await session.isOver()) }
            #expect(try await other.lasts())
            #expect(try await platform.call("GET", "/tenants/acme/users/\(login.user)").status == 404)
            #expect(try await platform.deleteOwnUser(login.access, of: platform.acme).isOAuthError(401, "invalid_token"))

            let path = "/tenants/acme/user-deletions/\(answer.resourceID)"
            try await eventually("Apple has confirmed it") {
                try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).string("status") == "finished"
            }
            #expect(try await platform.fate(of: login) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
            #expect(try await platform.consents("Alan Turing", to: platform.own.team))

            let again = try await platform.login("Grace Hopper")
            #expect(again.user != login.user)
            #expect(try await platform.user(again.user)?.familyName == "Hopper")

            let audited = try #require(try await platform.audited("deleteOwnUser").first)
            #expect(audited.actor == login.request.application.client_id)
            #expect(audited.subject == login.user)
            #expect(audited.before["sessions"] as? Int == 2)
            #expect(audited.after["id"] as? String == answer.resourceID)
            let reported = try #require(try await platform.audited("revokeAtApple").first)
            #expect((reported.actor, reported.subject) == ("system", answer.resourceID))
            for line in [audited, reported] { #expect(!line.text.lowercased().contains("hopper")) }
            #expect(try await platform.events("user.deleted").map { $0["user_id"] as? String } == [login.user])
            let revoked = try #require(try await platform.events("session.revoked").first)
            #expect(Set(revoked["session_ids"] as? [String] ?? []) == [login.session, second.session])
            // Resource servers that check tokens offline are notified.
            #expect(try await platform.count("revocation", where: "user_id = '\(ID<User>(login.user)!.uuid)'") == 3)
        }
    }

    @Test("without a valid access token of this tenant and an active session, nothing happens")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            let foreign = try await platform.login("Grace Hopper", platform.globex)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request, person: "Grace Hopper")
            for token in [
                nil, "", "x", "a.b.c", tokens["id_token"] as? String, tokens["refresh_token"] as? String, foreign.access,
                login.access + "x", platform.acme.api_keys[0].secret, platform.seeded.api_keys[0].secret,
            ] {
                let answer = try await platform.deleteOwnUser(token, of: platform.acme)
                #expect(answer.isOAuthError(401, "invalid_token"), "\(answer.body)")
                #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer realm=\"espalier\"") == true)
                // A caller without a token has made no error (RFC 6750, section 3.1).
                if token == nil { #expect(answer.header("WWW-Authenticate") == "Bearer realm=\"espalier\"") }
            }
            #expect(try await platform.deleteOwnUser(login.access, of: platform.acme, scheme: "Basic").status == 401)
            // A browser would attach these automatically.
            let cookie = [("Cookie", "access_token=\(login.access)"), ("Origin", "https://evil.test")]
            #expect(try await platform.deleteOwnUser(nil, of: platform.acme, headers: cookie).status == 401)
            let url = "\(platform.acme.issuer)/users/me?access_token=\(login.access)"
            #expect(try await browser.send("DELETE", url, headers: [], body: nil).status == 401)
            #expect(try await platform.deleteOwnUser(login.access, of: platform.globex).isOAuthError(401, "invalid_token"))

            var narrow = TestBrowser.Request(platform.acme)
            narrow.scope = "profile"
            let scoped = try await browser.tokens(narrow, person: "Grace Hopper")["access_token"] as? String
            #expect(try await platform.deleteOwnUser(scoped, of: platform.acme).isOAuthError(403, "insufficient_scope"))

            #expect(try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke").status == 200)
            #expect(try await platform.deleteOwnUser(login.access, of: platform.acme).isOAuthError(401, "invalid_token"))
            #expect(try await platform.count("tenant_user") == 2)
            #expect(try await platform.count("user_deletion") == 0)
            #expect(try await platform.audited("deleteOwnUser").isEmpty)
        }
    }

    @Test("two concurrent calls delete the user once")
    func twice() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await platform.deleteOwnUser(login.access, of: platform.acme).status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [200, 401, 401, 401])
            #expect(try await platform.count("user_deletion") == 1)
            #expect(try await platform.count("apple_revocation") == 1)
            #expect(try await platform.audited("deleteOwnUser").count == 1)
        }
    }
}
