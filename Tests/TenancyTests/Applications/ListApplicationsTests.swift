import Foundation
import Server
import TestSupport
import Testing

@Suite("List applications")
struct ListApplicationsTests {
    @Test("the list has pages, newest first, each application once, and only the tenant's own")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for number in 0..<4 { _ = try await platform.registered("machine", ["name": "Machine \(number)"]) }
            let key = platform.acme.api_keys[0].secret
            func page(_ query: String) async throws -> (names: [String], before: String?, after: String?) {
                let answer = try await platform.call("GET", "/tenants/acme/applications\(query)", key: key)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.json["object"] as? String == "list")
                let metadata = answer.json["list_metadata"] as? [String: any Sendable]
                let data = try #require(answer.json["data"] as? [[String: any Sendable]])
                #expect(data.allSatisfy { $0["object"] as? String == "application" && $0["client_secret"] == nil })
                return (data.compactMap { $0["name"] as? String }, metadata?["before"] as? String, metadata?["after"] as? String)
            }
            let all = try await page("")
            #expect(all.names.prefix(4) == ["Machine 3", "Machine 2", "Machine 1", "Machine 0"])
            #expect(Set(all.names.dropFirst(4)) == ["Web", "Single page", "Old"])
            #expect(all.before == nil && all.after == nil)

            let first = try await page("?limit=3")
            #expect(first.names == Array(all.names[..<3]))
            #expect(first.before == nil)
            let second = try await page("?limit=3&after=\(try #require(first.after))")
            #expect(second.names == Array(all.names[3..<6]))
            let last = try await page("?limit=3&after=\(try #require(second.after))")
            #expect(last.names == Array(all.names[6...]))
            #expect(last.after == nil)
            #expect(try await page("?limit=3&before=\(try #require(last.before))").names == second.names)

            #expect(try await platform.call("GET", "/tenants/acme/applications?kind=web", key: key).status == 400)
            #expect(try await platform.call("GET", "/tenants/globex/applications", key: key).status == 404)
            let scopeless = try await platform.call("GET", "/tenants/acme/applications", key: platform.acme.api_keys[1].secret)
            #expect(scopeless.code == "insufficient_scope")
        }
    }
}
