import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list organizations")
struct AuthKitListOrganizationsTests {
    @Test("the list has the key's tenant, unless a filter excludes it")
    func list() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for query in ["", "?search=ACM", "?limit=1&order=asc"] {
                let answer = try await client.call("/organizations\(query)")
                #expect(answer.ids == [client.organization], "\(query): \(answer.body)")
                #expect(answer.cursor("after") == nil)
            }
            for query in ["?search=globex", "?domains=example.com", "?after=\(client.organization)"] {
                #expect(try await client.call("/organizations\(query)").ids == [], "\(query)")
            }
        }
    }
}
