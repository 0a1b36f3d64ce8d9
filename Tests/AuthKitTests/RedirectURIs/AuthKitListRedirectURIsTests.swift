import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list redirect URIs")
struct AuthKitListRedirectURIsTests {
    @Test("pages lead through the URIs of all applications, and invalid parameters get 422")
    func list() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/user_management/redirect_uris"
            let all = try await client.call(path)
            let uris = (all.json["data"] as? [[String: any Sendable]])?.compactMap { $0["uri"] as? String } ?? []
            #expect(Set(uris) == [TestPlatform.redirectURI, "http://127.0.0.1/callback"])
            #expect(uris.count == 4)
            #expect(Set(all.ids).count == 4)
            for (order, ids) in [("desc", all.ids), ("asc", all.ids.reversed())] {
                let first = try await client.call("\(path)?limit=3&order=\(order)")
                #expect(first.ids == Array(ids[..<3]))
                #expect(first.cursor("before") == nil)
                let last = try await client.call("\(path)?limit=3&order=\(order)&after=\(first.cursor("after") ?? "")")
                #expect(last.ids == [ids[3]])
                #expect(last.cursor("after") == nil)
                let back = try await client.call("\(path)?limit=2&order=\(order)&before=\(last.cursor("before") ?? "")")
                #expect(back.ids == Array(ids[1..<3]))
            }
            for query in ["after=x", "limit=0", "order=x"] {
                #expect(try await client.call("\(path)?\(query)").isError(422, "invalid_request_parameters"))
            }
        }
    }
}
