import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

/// The stream of webhook events ends with the permission of its caller.
@Suite("Caller who listens")
struct ListeningCallerTests {
    /// Listens, takes the permission away, and waits for the end of the stream, which would last for 15 minutes.
    private static func ends(_ secret: String, _ platform: TestPlatform, _ change: @Sendable () async throws -> Void) async throws {
        async let stream = platform.call("GET", "/tenants/acme/webhooks/listen", key: secret)
        try await eventually("the terminal listens") { try await platform.count("webhook_listener") == 1 }
        try await change()
        try await eventually("the stream ends") { try await platform.count("webhook_listener") == 0 }
        let answer = try await stream
        #expect(answer.status == 200)
        #expect(try await platform.call("GET", "/tenants/acme/webhooks/listen?seconds=1", key: secret).status != 200)
    }

    @Test("it ends with the support access of an operator")
    func support() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let support = try await platform.startSupport(secret).resourceID
            try await Self.ends(secret, platform) {
                let ended = try await platform.call("POST", "/tenants/acme/support-accesses/\(support)/end")
                #expect(ended.status == 200)
            }
        }
    }

    @Test("it ends with the session of a person, and with the membership")
    func people() async throws {
        try await TestPlatform.run { platform in
            let (member, person) = try await platform.addMember("Ada")
            let session = try await platform.startSession(person)
            try await Self.ends(session.secret, platform) {
                _ = try await platform.ownerPool.run(PersonSession.end(session.id, of: person, .ended, at: Date()))
            }
            try await Self.ends(try await platform.startSession(person).secret, platform) {
                let ended = try await platform.call("DELETE", "/tenants/acme/members/\(member)")
                #expect(ended.status == 204)
            }
        }
    }

    @Test("it ends with an API key")
    func key() async throws {
        try await TestPlatform.run { platform in
            let issued = try await platform.issue("Terminal", scopes: ["webhooks:read", "users:read"])
            try await Self.ends(try #require(issued.string("secret")), platform) {
                let ended = try await platform.call("POST", "/tenants/acme/api-keys/\(issued.resourceID)/revoke")
                #expect(ended.status < 300)
            }
        }
    }
}
