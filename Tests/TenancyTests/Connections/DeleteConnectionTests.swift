import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete connection")
struct DeleteConnectionTests {
    @Test("an unused connection is deleted with its keys, and the one in use is not")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let serving = try await platform.acmeConnection
            let refused = try await platform.change("DELETE", serving, of: serving)
            #expect(refused.status == 409)
            #expect(refused.problem == "conflict")

            let apple = try await AppleTeam.make(platform)
            let made = try await platform.call("POST", "/tenants/acme/connections", apple.body())
            let path = "/tenants/acme/connections/\(made.resourceID)"
            #expect(try await platform.call("DELETE", path).status == 428)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"old\"")]).status == 412)
            let foreign = platform.globex.api_keys[0].secret
            #expect(try await platform.call("DELETE", path, key: foreign, headers: [("If-Match", made.version)]).status == 404)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", made.version)]).status == 204)
            #expect(try await platform.call("GET", path).status == 404)
            let left = try await platform.ownerPool.run("SELECT 1 AS one FROM apple_key WHERE key_id = \(apple.keyID)")
            #expect(left.isEmpty)
            #expect(try await platform.auditTrail(of: "deleteConnection").map(\.subject) == [made.resourceID])
        }
    }
}
