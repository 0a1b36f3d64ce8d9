import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Update connection")
struct UpdateConnectionTests {
    @Test("a change needs the version that was read, creates a new one, and reaches the sign-in")
    func changed() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let read = try await platform.call("GET", connection)
            let without = try await platform.call("PATCH", connection, ["bundle_ids": ["com.example.app"]])
            #expect(without.status == 428)
            #expect(without.problem == "precondition_required")
            let changed = try await platform.change("PATCH", connection, of: connection, ["bundle_ids": ["com.example.app"]])
            #expect(changed.status == 200)
            #expect(changed.json["bundle_ids"] as? [String] == ["com.example.app"])
            #expect(changed.json["services_id"] as? String == read.json["services_id"] as? String)
            #expect(changed.version != read.version)
            let stale = try await platform.call("PATCH", connection, ["bundle_ids": [String]()], headers: [("If-Match", read.version)])
            #expect(stale.status == 412)
            let same = try await platform.change("PATCH", connection, of: connection, ["bundle_ids": ["com.example.app"]])
            #expect(same.status == 200)
            #expect(same.version == changed.version)
            #expect(try await platform.auditTrail(of: "updateConnection").count == 1)
            #expect(
                try await platform.change("PATCH", connection, of: connection, ["team_id": "AAAAAAAAAA"]).refusalsByField["team_id"] != nil)

            let apple = try await AppleTeam.make(platform)
            let moved = try await platform.change("PATCH", connection, of: connection, ["services_id": apple.servicesID])
            #expect(moved.status == 200)
            #expect(moved.checkOutcome == "failed")
            #expect(moved.appleKeys[0]["proven_at"] == nil)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            try await eventually("the sign-in names the new one") {
                try await browser.authorize(request)["client_id"] == apple.servicesID
            }
        }
    }

    @Test("a lapsed plan permits no changes, but reading, checks and deletion")
    func lapsed() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let spare = try await platform.call("POST", "/tenants/acme/connections", try await AppleTeam.make(platform).body())
            _ = try await platform.ownerPool.run("UPDATE tenant SET plan = 'scale' WHERE slug = 'acme'")
            let key = "\(connection)/apple-keys"
            let pem = try await platform.simulator.makeKey(of: platform.own.team)
            for (method, path, body) in [
                ("PATCH", connection, ["bundle_ids": [String]()]), ("POST", key, ["key_id": pem.id, "private_key": pem.pem]),
                ("POST", "/tenants/acme/connections", try await AppleTeam.make(platform).body()),
            ] as [(String, String, [String: any Sendable])] {
                let answer = try await platform.change(method, path, of: connection, body)
                #expect(answer.status == 403)
                #expect(answer.problem == "plan_required")
                #expect(answer.reason.contains("`scale`"))
            }
            #expect(try await platform.check(connection).status == 200)
            let other = "/tenants/acme/connections/\(spare.resourceID)"
            #expect(try await platform.change("DELETE", other, of: other).status == 204)
        }
    }
}
