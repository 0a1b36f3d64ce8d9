import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete application")
struct DeleteApplicationTests {
    @Test("an application is deleted with its secrets, but not with an outdated version")
    func gone() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let stale = try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            let secrets = try await platform.count("application_secret")
            let answer = try await platform.call("DELETE", path, key: platform.acme.api_keys[0].secret)
            #expect(answer.status == 204)
            #expect(answer.body == "")
            #expect(try await platform.count("application_secret") == secrets - 1)
            for method in ["GET", "DELETE"] { #expect(try await platform.call(method, path).status == 404) }
            #expect(try await platform.call("GET", "\(path)/secrets").status == 404)
            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail.map(\.action) == ["registerApplication", "deleteApplication"])
            #expect(trail[1].before?["name"] as? String == "Shop")
            #expect(trail[1].after == nil)
        }
    }

    @Test("another tenant's application cannot be deleted, nor the tenant's own without the scope")
    func permission() async throws {
        try await TestPlatform.run { platform in
            let path = "/applications/\(platform.acme.applications[0].client_id)"
            let before = try await platform.count("application")
            for tenant in ["acme", "globex"] {
                let key = platform.globex.api_keys[0].secret
                #expect(try await platform.call("DELETE", "/tenants/\(tenant)\(path)", key: key).status == 404)
            }
            let scopeless = try await platform.call("DELETE", "/tenants/acme\(path)", key: platform.acme.api_keys[1].secret)
            #expect(scopeless.code == "insufficient_scope")
            #expect(try await platform.count("application") == before)
        }
    }
}
