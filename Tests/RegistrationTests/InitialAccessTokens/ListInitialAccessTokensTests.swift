import Server
import TestSupport
import Testing

@Suite("List initial access tokens")
struct ListInitialAccessTokensTests {
    @Test("the list has the tenant's tokens, newest first, in pages, also after a revocation")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/initial-access-tokens"
            var ids: [String] = []
            for name in ["One", "Two", "Three"] { ids.insert(try await platform.call("POST", path, ["name": name]).resourceID, at: 0) }
            _ = try await Registrant.make(platform, platform.globex)
            #expect(try await platform.call("POST", "\(path)/\(ids[0])/revoke").status == 200)
            let first = try await platform.call("GET", "\(path)?limit=2")
            #expect((first.json["data"] as? [[String: Any]])?.map { $0["id"] as? String } == Array(ids.prefix(2)))
            let second = try await platform.call("GET", "\(path)?limit=2&after=\(first.cursor("after") ?? "")")
            #expect((second.json["data"] as? [[String: Any]])?.map { $0["id"] as? String } == [ids[2]])
            #expect(!first.body.contains("eit_"))
        }
    }
}
