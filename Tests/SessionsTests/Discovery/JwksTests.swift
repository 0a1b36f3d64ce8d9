import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("JWKS")
struct JwksTests {
    @Test("a tenant's keys are its own, public, and the same in every process")
    func keys() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                var seen: Set<String> = []
                for tenant in platform.seeded.tenants {
                    let answer = try await browser.get("\(tenant.issuer)/oauth2/jwks")
                    #expect(answer.status == 200)
                    #expect(answer.headers.first(name: "Cache-Control") == "public, max-age=300")
                    let keys = try #require(answer.json["keys"] as? [[String: String]])
                    // The current key and the next key.
                    #expect(keys.count == 2)
                    for key in keys {
                        #expect(Set(key.keys) == ["kty", "crv", "use", "alg", "kid", "x", "y"])
                        #expect([key["kty"], key["crv"], key["use"], key["alg"]] == ["EC", "P-256", "sig", "ES256"])
                        #expect(seen.insert(key["kid"]!).inserted)
                        #expect(seen.insert(key["x"]!).inserted)
                    }
                    let other = try await browser.get("\(server.address)/t/\(tenant.slug)/oauth2/jwks")
                    #expect(other.json["keys"] as? [[String: String]] == keys)
                }
                #expect(try await browser.get("\(TestPlatform.publicURL)/t/initech/oauth2/jwks").status == 404)
            }
        }
    }

    @Test("a tenant has one first key, for any number of concurrent first requests")
    func firstKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                let found = try await withThrowingTaskGroup(of: [[String: String]]?.self) { tasks in
                    for base in [TestPlatform.publicURL, server.address, TestPlatform.publicURL, server.address] {
                        tasks.addTask { try await browser.get("\(base)/t/acme/oauth2/jwks").json["keys"] as? [[String: String]] }
                    }
                    return try await tasks.reduce(into: Set<[[String: String]]?>()) { $0.insert($1) }
                }
                #expect(found.count == 1)
                #expect(try await platform.count("signing_key") == 2)
            }
        }
    }
}
