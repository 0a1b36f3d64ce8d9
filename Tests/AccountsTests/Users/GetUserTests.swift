import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Get user")
struct GetUserTests {
    @Test("it returns a user with its identity and its active sessions")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.login("Grace Hopper")
            let second = try await platform.login("Grace Hopper", application: 1)
            _ = try await platform.login("Alan Turing")
            _ = try await platform.ownerPool.run(
                "UPDATE session SET ended_at = now(), ended_reason = 'revoked' WHERE id = \(ID<Session>(first.session))")
            let answer = try await platform.call("GET", "/tenants/acme/users/\(first.user)", key: platform.acme.api_keys[0].secret)
            #expect(answer.status == 200)
            #expect(answer.header("ETag") != nil)
            #expect(answer.string("given_name") == "Grace")
            #expect(answer.json["is_private_email"] as? Bool == false)
            let identities = try #require(answer.json["identities"] as? [[String: any Sendable]])
            #expect(identities.count == 1)
            #expect(identities.first?["team_id"] as? String == platform.own.team)
            let connection = try await platform.ownConnection()
            #expect(identities.first?["connection_id"] as? String == connection)
            #expect(identities.first?["subject"] as? String != nil)
            let sessions = try #require(answer.json["sessions"] as? [[String: any Sendable]])
            #expect(sessions.map { $0["id"] as? String } == [second.session])
            #expect(sessions.first?["application_id"] as? String == second.request.application.client_id)
            for secret in [first.refresh, second.refresh, "sealed", "refresh_token"] { #expect(!answer.body.contains(secret)) }
        }
    }

    @Test("a hidden address is marked; the shared connection's ID is not shown")
    func relay() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            let code = try await browser.code(request, headers: [("Simulator-Email", "hide")])
            let token = try claims(of: try await browser.redeem(code, request).string("id_token"))
            let answer = try await platform.call("GET", "/tenants/globex/users/\(token["sub"] as? String ?? "")")
            #expect(answer.json["is_private_email"] as? Bool == true)
            let identity = (answer.json["identities"] as? [[String: any Sendable]])?.first
            #expect(identity?["team_id"] as? String == platform.shared.team)
            #expect(identity?["connection_id"] == nil)
        }
    }

    @Test("an unknown, a mistyped and another tenant's user get the same response")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (acme, globex) = (try await platform.login(), try await platform.login("new", platform.globex))
            for id in [globex.user, ID<User>(at: Date()).description, "user_x", acme.session] {
                let answer = try await platform.call("GET", "/tenants/acme/users/\(id)")
                #expect(answer.isProblem(404, "not_found"))
                #expect(answer.string("detail") == "User not found. Check the path and your API key.")
            }
            let path = "/tenants/acme/users/\(acme.user)"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }
}
