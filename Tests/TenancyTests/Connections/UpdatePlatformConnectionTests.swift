import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Update platform connection")
struct UpdatePlatformConnectionTests {
    @Test("operators change the shared connection under the version that was read, with an audit event")
    func changed() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/connection"
            let read = try await platform.call("GET", path)
            let changed = try await platform.change("PATCH", path, of: path, ["email_sources": ["example.com"]])
            #expect(changed.status == 200)
            #expect(changed.json["email_sources"] as? [String] == ["example.com"])
            #expect(changed.version != read.version)
            #expect(try await platform.call("PATCH", path, ["email_sources": ["example.com"]]).status == 428)
            let stale = try await platform.call("PATCH", path, ["email_sources": [String]()], headers: [("If-Match", read.version)])
            #expect(stale.status == 412)
            #expect(try await platform.auditTrail(of: "updatePlatformConnection").map(\.subject) == [read.resourceID])
        }
    }

    @Test("a tenant's key, a missing scope and a member that cannot change are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let (path, body) = ("/platform/connection", ["email_sources": ["example.com"]])
            #expect(try await platform.call("PATCH", path, key: platform.acme.api_keys[0].secret, body).problem == "operator_required")
            #expect(try await platform.call("PATCH", path, key: narrow, body).problem == "insufficient_scope")
            let refused = try await platform.change("PATCH", path, of: path, ["team_id": "AAAAAAAAAA"])
            #expect(refused.refusalsByField["team_id"] != nil)
        }
    }
}
