import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit create redirect URI")
struct AuthKitCreateRedirectURITests {
    @Test("a tenant with one application gets the URI, with the audit event of updateApplication")
    func created() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/user_management/redirect_uris"
            let several = try await client.call("POST", path, ["uri": "https://app.test/new"])
            #expect(several.isError(409, "conflict"), "\(several.body)")
            for application in platform.acme.applications.dropFirst() {
                _ = try await platform.call("DELETE", "/tenants/acme/applications/\(application.client_id)")
            }
            let application = platform.acme.applications[0].client_id
            for _ in 0..<2 {
                let answer = try await client.call("POST", path, ["uri": "https://app.test/new"])
                #expect(answer.status == 201, "\(answer.body)")
                #expect(answer.string("uri") == "https://app.test/new")
                #expect(try await client.call(path).ids.contains(answer.string("id") ?? ""))
            }
            let stored = try await platform.call("GET", "/tenants/acme/applications/\(application)").json["redirect_uris"] as? [String]
            #expect(stored == [TestPlatform.redirectURI, "https://app.test/new"])
            #expect(try await platform.audit(application).map(\.action) == ["updateApplication"])
            for body: [String: any Sendable] in [[:], ["uri": "http://app.test/"], ["uri": "https://app.test/", "x": 1]] {
                #expect(try await client.call("POST", path, body).isError(422, "invalid_request_parameters"), "\(body)")
            }
        }
    }
}
