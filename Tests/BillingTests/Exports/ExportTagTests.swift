@testable import Billing
import Foundation
@testable import Ledger
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Export tag")
struct ExportTagTests {
    @Test("a client that continues a file sends its version, and is refused if the file has changed")
    func versions() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<20).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            try await platform.append([time("2026-03-05T00:00:00Z")], of: platform.globex)
            _ = try await platform.ownerPool.run("UPDATE application SET created_at = '2026-01-01'")
            func tag(_ query: String, key: String? = nil) async throws -> String? {
                try await platform.export("\(query)&\(TestPlatform.march)", key: key).headers.first(name: "ETag")
            }
            let words = ["format=csv", "format=jsonl", "format=cloudevents", "format=csv&compression=gzip", "format=csv&tenant=acme"]
            var before: [String: String] = [:]
            for word in words {
                let reported: String = try #require(try await tag(word), "\(word)")
                before[word] = reported
            }
            #expect(Set(before.values).count == words.count)
            #expect(try await tag("format=csv", key: platform.acme.api_keys[0].secret) == before["format=csv&tenant=acme"])
            // The charges of an open month change with each login.
            #expect(try await tag("format=focus") == nil)

            let query = "format=csv&\(TestPlatform.march)&skip=100"
            let match = [("TE", "trailers"), ("If-Match", try #require(before["format=csv"]))]
            #expect(try await platform.export(query, headers: match).status == 200)
            // An application without a login in the window changes nothing.
            _ = try await platform.call(
                "POST", "/tenants/acme/applications",
                ["name": "Later", "kind": "web", "redirect_uris": ["https://later.example.com/callback"]])
            #expect(try await platform.export(query, headers: match).status == 200)

            let application = platform.globex.applications[0].client_id
            let renamed = try await platform.call("PATCH", "/tenants/globex/applications/\(application)", ["name": "Renamed"])
            #expect(renamed.status == 200, "\(renamed.body)")
            let refused = try await platform.export(query, headers: match)
            #expect(refused.status == 412)
            #expect(refused.json["code"] as? String == "precondition_failed")
            #expect(refused.body.count < 2000)
            // Only some files contain names, and a tenant's file never depends on another tenant's names.
            for (word, changes) in [
                ("format=csv", true), ("format=jsonl", true), ("format=csv&compression=gzip", true), ("format=cloudevents", false),
                ("format=csv&tenant=acme", false),
            ] {
                #expect((try await tag(word) != before[word]) == changes, "\(word)")
            }
            _ = try await platform.ownerPool.run(
                "UPDATE tenant SET status = 'purged', name = slug, connection_id = NULL WHERE slug = 'globex'")
            #expect(try await tag("format=cloudevents") != before["format=cloudevents"])
            #expect(try await tag("format=csv&tenant=acme") == before["format=csv&tenant=acme"])
        }
    }
}
