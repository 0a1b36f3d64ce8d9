import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A change of an API key takes effect in every process. These tests use two.
@Suite("Changed API keys")
struct APIKeyChangeTests {
    private static func letsIn(_ secret: String, _ server: SecondServer, _ platform: TestPlatform) async throws -> Bool {
        let answer = try await TestBrowser(platform).get(
            "\(server.address)/v1/tenants/acme", headers: [("Authorization", "Bearer \(secret)")])
        #expect([200, 401].contains(answer.status))
        return answer.status == 200
    }

    private static func issue(_ platform: TestPlatform) async throws -> (id: String, secret: String) {
        let answer = try await platform.call("POST", "/tenants/acme/api-keys", ["name": "New", "scopes": ["tenants:read"]])
        return (try #require(answer.json["id"] as? String), try #require(answer.json["secret"] as? String))
    }

    @Test("a key that one process revokes or rolls is refused by the other long before the other's cache expires")
    func everywhere() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                for (action, body) in [("revoke", [:]), ("roll", ["overlap_seconds": 0])] as [(String, [String: any Sendable])] {
                    let key = try await Self.issue(platform)
                    // The other process has the key in its cache for one minute.
                    #expect(try await Self.letsIn(key.secret, server, platform))
                    let answer = try await platform.call("POST", "/tenants/acme/api-keys/\(key.id)/\(action)", body)
                    #expect([200, 201].contains(answer.status))
                    try await eventually("\(action): refused there") { try await !Self.letsIn(key.secret, server, platform) }
                    if let successor = answer.json["secret"] as? String {
                        #expect(try await Self.letsIn(successor, server, platform))
                    }
                }
            }
        }
    }

    @Test("a process writes all pending uses of a key before it ends")
    func lastUsed() async throws {
        try await TestPlatform.run { platform in
            let key = try await Self.issue(platform)
            try await SecondServer.run(beside: platform) { server in
                let isIn = try await Self.letsIn(key.secret, server, platform)
                #expect(isIn)
            }
            // Only the other process has seen the key, and that process has ended.
            #expect(try await platform.count("api_key", where: "name = 'New' AND last_used_at IS NOT NULL") == 1)
        }
    }
}
