import Server
import TestSupport
import Testing

@Suite("Get initial access token")
struct GetInitialAccessTokenTests {
    @Test("it shows the number of registrations, to its own tenant only")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            _ = try await registrant.client()
            let answer = try await platform.call("GET", "/tenants/acme/initial-access-tokens/\(registrant.id)")
            #expect(answer.status == 200 && answer.json["registrations"] as? Int == 1 && answer.json["secret"] == nil)
            #expect(answer.header("ETag") != nil)
            let others = try await platform.call("GET", "/tenants/globex/initial-access-tokens/\(registrant.id)")
            #expect(others.isProblem(404, "not_found"))
            #expect(try await platform.call("GET", "/tenants/acme/initial-access-tokens/x").isProblem(404, "not_found"))
        }
    }
}
