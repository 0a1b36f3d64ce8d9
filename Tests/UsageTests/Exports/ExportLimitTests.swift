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

@Suite("Export limit")
struct ExportLimitTests {
    @Test("a place is free after the export, each owner has a limit, and tenants cannot take the platform's places")
    func places() async throws {
        let limit = ExportLimit()
        let (one, other) = (UUID(), UUID())
        var held: [ExportLimit.Place] = [try limit.place(of: one), try limit.place(of: one)]
        #expect(throws: Problem.self) { _ = try limit.place(of: one) }
        held.append(try limit.place(of: other))
        held.removeFirst()
        held.append(try limit.place(of: one))
        for _ in 1...3 { held.append(try limit.place(of: UUID())) }
        #expect(held.count == 6)
        let refusal = #expect(throws: Problem.self) { _ = try limit.place(of: UUID()) }
        #expect(refusal?.headers[.retryAfter] == "10")
        #expect(refusal?.detail.contains("in progress") == true)
        for _ in 1...2 { held.append(try limit.place(of: .platform)) }
        #expect(throws: Problem.self) { _ = try limit.place(of: .platform) }
        // The platform's exports take no place of a tenant either.
        held.removeFirst(6)
        for _ in 1...6 { held.append(try limit.place(of: UUID())) }
        held = []
        held.append(try limit.place(of: other))
        try await TestPlatform.run { platform in
            // More exports than places, one after another.
            for _ in 1...10 {
                let answer = try await platform.export("format=csv")
                #expect(answer.status == 200)
            }
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
}
