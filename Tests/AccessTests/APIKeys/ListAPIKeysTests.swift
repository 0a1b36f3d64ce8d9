import Foundation
import Server
import TestSupport
import Testing

@Suite("List API keys")
struct ListAPIKeysTests {
    private struct Listed: Decodable {
        struct Key: Decodable { let name: String }
        struct Metadata: Decodable { let before, after: String? }
        let data: [Key]
        let list_metadata: Metadata
    }

    private static func list(_ platform: TestPlatform, _ path: String, key: String? = nil) async throws -> Listed {
        let answer = try await platform.call("GET", path, key: key)
        #expect(answer.status == 200)
        #expect(!answer.body.contains("secret") && !answer.body.contains("digest"))
        return try JSONDecoder().decode(Listed.self, from: Data(answer.body.utf8))
    }

    @Test("the list has pages, newest first, with only the tenant's keys")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let secret = platform.acme.api_keys[0].secret
            for name in ["One", "Two", "Three"] { _ = try await platform.issue(name) }
            let first = try await Self.list(platform, "/tenants/acme/api-keys?limit=2", key: secret)
            #expect(first.data.count == 2 && first.list_metadata.before == nil)
            var names = first.data.map(\.name)
            var next = first.list_metadata.after
            while let cursor = next {
                let page = try await Self.list(platform, "/tenants/acme/api-keys?limit=2&after=\(cursor)", key: secret)
                names += page.data.map(\.name)
                next = page.list_metadata.after
            }
            #expect(names.count == 5 && Set(names) == ["One", "Two", "Three", "All", "Reads tenants"])
            #expect(Set(names.prefix(3)) == ["One", "Two", "Three"])
            #expect(try await Self.list(platform, "/tenants/globex/api-keys").data.count == 2)
            #expect(try await Self.list(platform, "/platform/api-keys").data.map(\.name) == ["Operator"])
        }
    }

    @Test("another tenant's key, keys without the scope and unknown parameters are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/api-keys"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", "\(path)?name=x").isProblem(400, "invalid"))
            #expect(try await platform.call("GET", "\(path)?limit=101").isProblem(400, "invalid"))
        }
    }
}
