import Access
import Foundation
import Server
import TestSupport
import Testing

@Suite("Update API")
struct UpdateAPITests {
    @Test("absent members do not change, null resets, and a change without effect leaves no audit event")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let permission: [String: any Sendable] = ["id": platform.acme.applications[0].client_id, "scopes": ["orders:read"]]
            let body = CreateAPITests.body.merging(["applications": [permission], "access_token_seconds": 900]) { $1 }
            let path = "/tenants/acme/apis/\(try await platform.call("POST", "/tenants/acme/apis", body).resourceID)"

            let named = try await platform.call("PATCH", path, ["name": "Shop"])
            #expect(named.status == 200 && named.string("name") == "Shop" && named.json["access_token_seconds"] as? Int == 900)
            #expect((named.json["applications"] as? [Any])?.count == 1)
            #expect(try await platform.call("PATCH", path, ["name": "Shop"]).header("ETag") == named.header("ETag"))
            #expect(try await platform.auditTrail(of: "updateAPI").count == 1)

            let conflict = try await platform.call("PATCH", path, ["scopes": ["orders:write"]])
            #expect(conflict.status == 409 && conflict.body.contains("orders:read"), "\(conflict.body)")
            let reset = try await platform.call(
                "PATCH", path, ["applications": NSNull(), "access_token_seconds": NSNull(), "scopes": NSNull()])
            #expect(reset.json["access_token_seconds"] as? Int == 3600, "\(reset.body)")
            #expect((reset.json["applications"] as? [Any])?.isEmpty == true && (reset.json["scopes"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("the audience cannot change, the name cannot be removed, and a stale ETag is refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/apis/\(try await platform.call("POST", "/tenants/acme/apis", CreateAPITests.body).resourceID)"
            #expect(try await platform.call("PATCH", path, ["audience": "https://other.test"]).refuses("audience"))
            #expect(try await platform.call("PATCH", path, ["name": NSNull()]).refuses("name"))
            #expect(try await platform.call("PATCH", path, ["name": "x"], headers: [("If-Match", "\"x\"")]).status == 412)
            let stranger: [String: any Sendable] = ["id": platform.globex.applications[0].client_id]
            #expect(try await platform.call("PATCH", path, ["applications": [stranger]]).status == 409)
        }
    }

    @Test("an application that is deleted is no longer listed")
    func deletedApplication() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0].client_id
            let permission: [String: any Sendable] = ["id": application]
            let made = try await platform.call(
                "POST", "/tenants/acme/apis", CreateAPITests.body.merging(["applications": [permission]]) { $1 })
            #expect(try await platform.call("DELETE", "/tenants/acme/applications/\(application)").status == 204)
            let read = try await platform.call("GET", "/tenants/acme/apis/\(made.resourceID)")
            #expect((read.json["applications"] as? [Any])?.isEmpty == true)
        }
    }
}
