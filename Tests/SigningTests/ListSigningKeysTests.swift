import Foundation
import Server
@testable import Signing
import TestSupport
import Testing

@Suite("List signing keys")
struct ListSigningKeysTests {
    @Test("it lists the keys of the JWKS, newest first, in pages, and no other tenant's")
    func listed() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/signing-keys"
            func page(_ query: String = "", key: String? = nil) async throws -> (keys: [[String: any Sendable]], after: String?) {
                let answer = try await platform.call("GET", path + query, key: key)
                #expect(answer.status == 200, "\(answer.body)")
                let metadata = answer.json["list_metadata"] as? [String: any Sendable]
                return (answer.json["data"] as? [[String: any Sendable]] ?? [], metadata?["after"] as? String)
            }
            // No key was needed yet.
            #expect(try await page().keys.isEmpty)
            _ = try await platform.publishedKeys(of: platform.acme)
            _ = try await platform.publishedKeys(of: platform.globex)
            try await platform.ageSigningKeys()
            #expect(try await platform.rotateSigningKeys().status == 200)

            let keys = try await page(key: platform.acme.api_keys[0].secret).keys
            #expect(Set(keys.compactMap { $0["id"] as? String }) == Set(try await platform.publishedKeys(of: platform.acme)))
            #expect(keys.first?["state"] as? String == "next")
            #expect(keys.compactMap { $0["id"] as? String } == keys.compactMap { $0["id"] as? String }.sorted(by: >))
            let retired = try #require(keys.first { $0["state"] as? String == "retired" })
            #expect(
                Set(retired.keys) == [
                    "id", "object", "algorithm", "state", "activated_at", "retired_at", "published_until", "created_at", "updated_at",
                ])
            #expect(retired["updated_at"] as? String == retired["retired_at"] as? String)

            let first = try await page("?limit=2")
            let rest = try await page("?limit=2&after=\(try #require(first.after))")
            #expect((first.keys + rest.keys).compactMap { $0["id"] as? String } == keys.compactMap { $0["id"] as? String })
            #expect(rest.after == nil)

            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path + "?state=next").isProblem(400, "invalid"))
        }
    }
}
