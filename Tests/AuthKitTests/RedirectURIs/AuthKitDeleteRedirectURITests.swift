import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit delete redirect URI")
struct AuthKitDeleteRedirectURITests {
    @Test("the URI is removed from its application only, and an application keeps its last one")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/user_management/redirect_uris"
            let all = try await client.call(path)
            let application = platform.acme.applications[1].client_id
            let own = all.ids.filter { $0.contains(application.dropFirst("app_".count)) }
            #expect(own.count == 2)
            #expect(try await client.call("DELETE", "\(path)/\(own[0])").status == 204)
            #expect(try await client.call("DELETE", "\(path)/\(own[0])").isError(404, "entity_not_found"))
            #expect(Set(try await client.call(path).ids) == Set(all.ids).subtracting([own[0]]))
            #expect(try await client.call("DELETE", "\(path)/\(own[1])").isError(409, "conflict"))
            #expect(try await platform.audit(application).map(\.action) == ["updateApplication"])
            let other = AuthKitClient(platform, platform.globex)
            #expect(try await other.call("DELETE", "\(path)/\(own[1])").isError(404, "entity_not_found"))
        }
    }
}
