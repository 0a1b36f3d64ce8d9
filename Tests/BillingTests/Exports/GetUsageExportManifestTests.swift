import Access
@testable import Billing
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Get usage export manifest")
struct GetUsageExportManifestTests {
    @Test("the manifest describes the file of the same export, without the file")
    func describes() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<5).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            let query = "format=csv&\(TestPlatform.march)"
            let (export, manifest) = (try await platform.export(query), try await platform.manifest(query))
            #expect(manifest.status == 200)
            #expect(manifest.json["sha256"] as? String == export.sha256)
            #expect(manifest.json["bytes"] as? Int == export.body.count)
            #expect(manifest.json["rows"] as? Int == 5)
            #expect(manifest.json["to"] as? String == "2026-04-01T00:00:00Z")
        }
    }

    @Test("a manifest takes a place among the exports and frees it, and the platform's places are separate")
    func manifestPlaces() async throws {
        try await TestPlatform.run { platform in
            // More than the buffers between two programs hold.
            try await platform.appendMany(80_000)
            let key = platform.acme.api_keys[0].secret
            let query = "format=jsonl&\(TestPlatform.march)"
            let readers = try await [platform.reader(of: query, key: key), platform.reader(of: query, key: key)]
            let refused = try await platform.manifest(query, key: key)
            #expect(refused.status == 429)
            #expect(refused.headers.first(name: "Retry-After") == "10")
            let export = try await platform.export(query, key: key)
            #expect(export.status == 429)
            let ofPlatform = try await platform.manifest("format=csv&from=2026-04-01T00:00:00Z&to=2026-04-02T00:00:00Z")
            #expect(ofPlatform.status == 200)
            for reader in readers { try await reader.close().get() }
            try await eventually("their places are free") { try await platform.manifest(query, key: key).status == 200 }
            // More often than there are places. A place is free a moment after the response.
            for _ in 1...3 {
                let manifest = try await eventually("a place is given back") {
                    let manifest = try await platform.manifest(query, key: key)
                    return manifest.status == 429 ? nil : manifest
                }
                #expect(manifest.json["rows"] as? Int == 80_000, "\(manifest.status) \(manifest.body)")
            }
        }
    }

    @Test("a missing scope, an invalid parameter and another tenant are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let query = "format=csv&\(TestPlatform.march)"
            let lacking = try await platform.manifest(query, key: platform.acme.api_keys[1].secret)
            #expect(lacking.status == 403 && lacking.json["code"] as? String == "insufficient_scope")
            #expect(try await platform.manifest("format=pdf&\(TestPlatform.march)").status == 400)
            let foreign = try await platform.manifest(query + "&tenant=acme", key: platform.globex.api_keys[0].secret)
            #expect(foreign.status == 404 && foreign.json["code"] as? String == "not_found", "\(foreign.status)")
        }
    }
}
