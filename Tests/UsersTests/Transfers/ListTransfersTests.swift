import Foundation
import Server
import Testing
import TestSupport

@Suite("List transfers")
struct ListTransfersTests {
    @Test("the list has pages, newest first, of this tenant only")
    func pages() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for team in ["Z9Y8X7W6V5", "Y9Y8X7W6V5", "X9Y8X7W6V5"] {
                ids.insert(String(try await platform.createTransfer(to: team).split(separator: "/").last ?? ""), at: 0)
            }
            let first = try await platform.call("GET", "/tenants/acme/transfers?limit=2", key: platform.acme.api_keys[0].secret)
            #expect(first.ids == Array(ids.prefix(2)))
            let after = try #require(first.cursor("after"))
            let second = try await platform.call("GET", "/tenants/acme/transfers?limit=2&after=\(after)")
            #expect(second.ids == [ids[2]])
            let before = try #require(second.cursor("before"))
            #expect(try await platform.call("GET", "/tenants/acme/transfers?limit=2&before=\(before)").ids == Array(ids.prefix(2)))
            #expect(try await platform.call("GET", "/tenants/globex/transfers").ids.isEmpty)
        }
    }

    @Test("another tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/transfers"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path + "?state=open").isProblem(400, "invalid"))
        }
    }
}
