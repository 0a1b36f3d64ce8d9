import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete registered client")
struct DeleteRegisteredClientTests {
    @Test("a client deletes itself with its tokens and its registration; afterwards its token is invalid")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let browser = TestBrowser(platform)
            let tokens = try await browser.tokens(try registrant.request(client))
            let answer = try await registrant.send("DELETE", client.uri, token: client.token)
            #expect(answer.status == 204 && answer.body.isEmpty && answer.header("Cache-Control") == "no-store")
            for method in ["GET", "DELETE"] {
                #expect(try await registrant.send(method, client.uri, token: client.token).isOAuthError(401, "invalid_token"))
            }
            #expect(try await browser.userInfo(tokens["access_token"] as? String, of: platform.acme).status == 401)
            #expect(try await browser.authorize(try registrant.request(client)).isPage(400))
            #expect(try await platform.count("client_registration") == 0)
            let trail = try await platform.audited("deleteRegisteredClient")
            #expect(trail.map(\.actor) == [registrant.id] && trail.map(\.subject) == [client.id])
            // The token does not get the registration back.
            let shown = try await platform.call("GET", "/tenants/acme/initial-access-tokens/\(registrant.id)")
            #expect(shown.json["registrations"] as? Int == 1)
        }
    }

    @Test("an administrator deletes it like any other application")
    func byAdministrator() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            #expect(try await platform.call("DELETE", "/tenants/acme/applications/\(client.id)").status == 204)
            #expect(try await registrant.send("GET", client.uri, token: client.token).isOAuthError(401, "invalid_token"))
            #expect(try await platform.count("client_registration") == 0)
        }
    }

    @Test("a deletion that waits while an administrator ends the registration is refused, and the application stays")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let path = "/tenants/acme/applications/\(client.id)"
            let answers = try await registrant.held([{ try await registrant.send("DELETE", client.uri, token: client.token) }]) {
                let status = try await platform.call("DELETE", "\(path)/registration").status
                #expect(status == 204)
            }
            #expect(answers[0].isOAuthError(401, "invalid_token"), "\(answers[0].body)")
            #expect(try await platform.call("GET", path).status == 200)
        }
    }
}
