@testable import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
@testable import Signing
import TestSupport
import Testing
@testable import Users

@Suite("Revoke token")
struct RevokeTokenTests {
    @Test("a refresh token or an access token ends its session, which is audited and sent to webhooks once", arguments: 0..<4)
    func revoked(number: Int) async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (login, other) = (
                try await platform.login("Grace Hopper", application: number % 2), try await platform.login("Grace Hopper")
            )
            let token = number < 2 ? login.refresh : login.access
            let caller = Credentials(login.request.application)
            for _ in 0..<2 {
                let answer = try await platform.revoke(token, as: caller)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.body.isEmpty)
                #expect(answer.header("Cache-Control") == "no-store")
            }
            #expect(try await login.isOver())
            #expect(try await other.lasts())
            let shown = try await platform.call("GET", "/tenants/acme/sessions/\(login.session)")
            #expect(shown.string("ended_reason") == "token_revoked")
            let events = try await platform.events("session.revoked")
            #expect(events.count == 1)
            #expect(events.first?["reason"] as? String == "token_revoked")
            #expect(events.first?["session_ids"] as? [String] == [login.session])
            let audited = try await platform.audited("session.token_revoked")
            #expect(audited.map(\.subject) == [login.session])
            #expect(audited.map(\.actor) == [login.request.application.client_id])
            #expect(audited.first?.text.contains(token) == false)
        }
    }

    @Test("a used refresh token still identifies its session, and a wrong hint is harmless")
    func used() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let next = try #require(try await login.browser.refresh(login.refresh, login.request).string("refresh_token"))
            let caller = Credentials(login.request.application)
            let answer = try await TestBrowser(platform).post(
                "\(platform.acme.issuer)/oauth2/revoke", form: [("token", login.refresh), ("token_type_hint", "access_token")],
                headers: [caller.basic])
            #expect(answer.status == 200)
            #expect(try await login.browser.refresh(next, login.request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("another application gets an error; at another tenant the token is unknown; either way the session stays active")
    func notItsOwn() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let server = try await platform.resourceServer()
            for token in [login.refresh, login.access] {
                for other in [Credentials(platform.acme.applications[1]), Credentials(platform.acme.applications[2]), server] {
                    #expect(try await platform.revoke(token, as: other).isOAuthError(400, "invalid_grant"))
                }
                let elsewhere = try await platform.revoke(token, as: Credentials(platform.globex.applications[0]), platform.globex)
                #expect(elsewhere.status == 200)
                // An ID alone does not authenticate an application.
                #expect(
                    try await platform.revoke(token, as: Credentials(id: login.request.application.client_id, secret: nil))
                        .isOAuthError(401, "invalid_client"))
            }
            #expect(try await login.lasts())
            #expect(try await login.browser.refresh(login.refresh, login.request).status == 200)
        }
    }

    @Test("an unknown token is not an error and ends nothing; a missing token is an error")
    func unknown() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let caller = Credentials(login.request.application)
            var said = try claims(of: login.access)
            said["exp"] = Int(Date().timeIntervalSince1970) - 1
            for token in [
                "x", "a.b.c", login.idToken, String(login.refresh.dropLast()) + (login.refresh.hasSuffix("A") ? "Q" : "A"),
                login.access + "x",
                try await platform.sign(said, header: ["typ": "at+jwt"]), String(repeating: "a", count: 5000),
            ] {
                let answer = try await platform.revoke(token, as: caller)
                #expect(answer.status == 200, "\(token.prefix(40)): \(answer.body)")
            }
            let url = "\(platform.acme.issuer)/oauth2/revoke"
            #expect(try await TestBrowser(platform).post(url, form: caller.form).isOAuthError(400, "invalid_request"))
            #expect(
                try await TestBrowser(platform).post("\(url)?token=\(login.refresh)", form: caller.form).isOAuthError(
                    400, "invalid_request"))
            #expect(try await TestBrowser(platform).post(url, form: [("token", login.refresh)]).isOAuthError(401, "invalid_client"))
            #expect(try await login.lasts())
            #expect(try await platform.count("audit_event", where: "action = 'session.token_revoked'") == 0)
        }
    }

    @Test("a session that is refreshed during its revocation ends")
    func racing() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<5 {
                let login = try await platform.login("Grace Hopper")
                let next = try await withThrowingTaskGroup(of: String?.self) { tasks in
                    tasks.addTask {
                        let answer = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
                        #expect(answer.status == 200)
                        return nil
                    }
                    tasks.addTask { try await login.browser.refresh(login.refresh, login.request).string("refresh_token") }
                    return try await tasks.reduce(nil) { $0 ?? $1 }
                }
                if let next { #expect(try await login.browser.refresh(next, login.request).isOAuthError(400, "invalid_grant")) }
                #expect(try await login.isOver())
            }
            #expect(try await platform.count("session", where: "ended_reason = 'token_revoked' AND ended_at >= refreshed_at") == 5)
        }
    }
}
