import Postgres
import Server
import TestSupport
import Testing

@Suite("Revoke initial access token")
struct RevokeInitialAccessTokenTests {
    @Test("a revoked token registers nothing, and its applications stay; a second revocation changes nothing")
    func revokes() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let path = "/tenants/acme/initial-access-tokens/\(registrant.id)/revoke"
            #expect(try await platform.call("POST", path.replacing("acme", with: "globex")).isProblem(404, "not_found"))
            let revoked = try await platform.call("POST", path)
            #expect(revoked.status == 200 && revoked.string("revoked_at") != nil && revoked.json["registrations"] as? Int == 1)
            #expect(try await registrant.register().isOAuthError(401, "invalid_token"))
            #expect(try await registrant.send("GET", client.uri, token: client.token).status == 200)
            _ = try await TestBrowser(platform).tokens(try registrant.request(client))
            let again = try await platform.call("POST", path)
            #expect(again.status == 200 && again.string("revoked_at") == revoked.string("revoked_at"))
            #expect(try await platform.auditTrail(of: "revokeInitialAccessToken").count == 1)
        }
    }
}
