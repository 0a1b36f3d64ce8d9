import Server
import TestSupport
import Testing

@Suite("End application registration")
struct EndApplicationRegistrationTests {
    @Test("the registration access token ends, and the application still signs users in")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let path = "/tenants/acme/applications/\(client.id)/registration"
            let stale = try await platform.call("DELETE", path, headers: [("If-Match", "\"0\"")])
            #expect(stale.isProblem(412, "precondition_failed"))
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await registrant.send("GET", client.uri, token: client.token).isOAuthError(401, "invalid_token"))
            _ = try await TestBrowser(platform).tokens(try registrant.request(client))
            #expect(try await platform.call("DELETE", path).isProblem(404, "not_found"))
            #expect(try await platform.audited("endApplicationRegistration").map(\.subject) == [client.id])
        }
    }
}
