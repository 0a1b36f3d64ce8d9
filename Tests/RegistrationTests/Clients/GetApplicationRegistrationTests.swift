import Server
import TestSupport
import Testing

@Suite("Get application registration")
struct GetApplicationRegistrationTests {
    @Test("administrators see the initial access token and the software of a registered application, without addresses of persons")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client(
                Registrant.web.merging(["software_id": "shop", "tos_uri": "https://shop.test/tos", "contacts": ["ada@shop.test"]]) { $1 })
            let path = "/tenants/acme/applications/\(client.id)/registration"
            let answer = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(answer.status == 200 && answer.header("ETag") != nil, "\(answer.body)")
            #expect(answer.string("initial_access_token_id") == registrant.id && answer.resourceID == client.id)
            #expect(answer.string("software_id") == "shop" && answer.string("tos_uri") == "https://shop.test/tos")
            #expect(!answer.body.contains("ada@") && !answer.body.contains(client.token))
            #expect(try await platform.call("GET", path.replacing("acme", with: "globex")).isProblem(404, "not_found"))
            let other = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)/registration"
            #expect(try await platform.call("GET", other).isProblem(404, "not_found"))
        }
    }
}
