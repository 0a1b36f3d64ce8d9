import Access
import Server
import TestSupport
import Testing

@Suite("Own changes")
struct OwnChangesTests {
    @Test("a caller sees its own change at once, whenever the database's notification arrives")
    func met() async throws {
        try await TestPlatform.run { platform in
            for number in 0..<20 {
                let path = "/tenants/tenant-\(number)"
                // Not found, and remembered as missing.
                #expect(try await platform.call("GET", path).status == 404)
                #expect(try await platform.call("POST", "/tenants", ["slug": "tenant-\(number)", "name": "Tenant"]).status == 201)
                let application: [String: any Sendable] = ["name": "Server", "kind": "machine"]
                let registered = try await platform.call("POST", "\(path)/applications", application)
                #expect(registered.status == 201, "\(registered.body)")
                let key = try await platform.call("POST", "\(path)/api-keys", ["name": "All", "scopes": ["tenants:read"]])
                let secret = try #require(key.json["secret"] as? String)
                #expect(try await platform.call("GET", path, key: secret).status == 200)
                #expect(try await platform.call("POST", "\(path)/suspend").status == 200)
                #expect(try await platform.call("GET", path, key: secret).json["status"] as? String == "suspended")
                let id = try #require(key.json["id"] as? String)
                #expect(try await platform.call("POST", "\(path)/api-keys/\(id)/revoke").status == 200)
                #expect(try await platform.call("GET", path, key: secret).status == 401)
            }
        }
    }
}
