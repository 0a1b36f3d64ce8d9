import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Delete platform connection")
struct DeletePlatformConnectionTests {
    private let path = "/platform/connection"

    @Test("the platform has one connection, which can be deleted when unused and created again")
    func one() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let second = try await platform.call("POST", path, apple.body())
            #expect(second.status == 409)
            #expect(second.problem == "already_exists")
            let needed = try await platform.change("DELETE", path, of: path)
            #expect(needed.status == 409)
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'purged' WHERE slug = 'globex'")
            #expect(try await platform.change("DELETE", path, of: path).status == 204)
            #expect(try await platform.call("GET", path).status == 404)
            let made = try await platform.call("POST", path, apple.body())
            #expect(made.status == 201)
            #expect(made.header("Location") == "/v1/platform/connection")
            #expect(made.checkOutcome == "passed")
        }
    }

    @Test("a tenant's key, a missing scope and another version are refused, and nothing is deleted")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'purged' WHERE slug = 'globex'")
            #expect(try await platform.call("DELETE", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("DELETE", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("DELETE", path).status == 428)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await platform.call("GET", path).status == 200)
            let shown = try await platform.call("GET", path)
            #expect(try await platform.change("DELETE", path, of: path).status == 204)
            #expect(try await platform.auditTrail(of: "deletePlatformConnection").map(\.subject) == [shown.resourceID])
        }
    }
}
