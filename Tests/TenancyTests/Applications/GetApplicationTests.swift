import Foundation
import Server
import TestSupport
import Testing

@Suite("Get application")
struct GetApplicationTests {
    @Test("a tenant's key sees its own application, and another tenant's looks nonexistent in both paths")
    func isolation() async throws {
        try await TestPlatform.run { platform in
            let (own, foreign) = (platform.acme.applications[0].client_id, platform.globex.applications[0].client_id)
            let key = platform.acme.api_keys[0].secret
            let answer = try await platform.call("GET", "/tenants/acme/applications/\(own)", key: key)
            #expect(answer.status == 200)
            #expect(answer.json["id"] as? String == own)
            #expect(answer.json["name"] as? String == "Web")
            #expect(answer.header("ETag")?.hasPrefix("\"") == true)
            #expect(try await platform.call("GET", "/tenants/globex/applications/\(foreign)", key: key).status == 404)
            // An operator can see both, but each only at its own tenant.
            var refusals: Set<String> = []
            for id in [foreign, "app_00000000000000000000000000", "x", own.uppercased(), platform.acme.id] {
                let answer = try await platform.call("GET", "/tenants/acme/applications/\(id)")
                #expect(answer.status == 404)
                refusals.insert("\(answer.json["detail"]!)")
            }
            #expect(refusals == ["Application not found. Check the path and your API key."])
            let scopeless = try await platform.call("GET", "/tenants/acme/applications/\(own)", key: platform.acme.api_keys[1].secret)
            #expect(scopeless.code == "insufficient_scope")
        }
    }
}
