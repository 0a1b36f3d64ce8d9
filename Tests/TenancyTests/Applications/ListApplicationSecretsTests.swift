import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("List application secrets")
struct ListApplicationSecretsTests {
    @Test("the list has the valid secrets with their identifying data, without secret data or expired secrets")
    func serving() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)/secrets"
            _ = try await platform.call("POST", "\(path)/roll")
            let both = try await platform.call("GET", path)
            #expect(both.status == 200)
            let secrets = try #require(both.json["data"] as? [[String: any Sendable]])
            #expect(secrets.count == 2)
            for secret in secrets {
                #expect(Set(secret.keys).subtracting(["expires_at"]) == ["id", "object", "last_four", "created_at", "updated_at"])
            }
            #expect(secrets.filter { $0["expires_at"] != nil }.count == 1)
            let first = try await platform.call("GET", "\(path)?limit=1")
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", "\(path)?limit=1&after=\(after)")
            #expect((second.json["data"] as? [[String: any Sendable]])?.count == 1)

            _ = try await platform.ownerPool.run("UPDATE application_secret SET expires_at = now() WHERE expires_at IS NOT NULL")
            let left = try await platform.call("GET", path)
            #expect((left.json["data"] as? [[String: any Sendable]])?.count == 1)
        }
    }

    @Test("the list requires the scope applications:read and an application of the tenant")
    func permission() async throws {
        try await TestPlatform.run { platform in
            let path = "/applications/\(platform.acme.applications[0].client_id)/secrets"
            let scopeless = try await platform.call("GET", "/tenants/acme\(path)", key: platform.acme.api_keys[1].secret)
            #expect(scopeless.code == "insufficient_scope")
            #expect(try await platform.call("GET", "/tenants/globex\(path)").status == 404)
            #expect(try await platform.call("GET", "/tenants/acme\(path)?x=1").status == 400)
        }
    }
}
