import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit expire API key")
struct AuthKitExpireAPIKeyTests {
    private func path(_ id: String) -> String { "/api_keys/api_key_\(id.dropFirst("apikey_".count))/expire" }

    @Test("without a time, and with a past one, the key ends at once")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for body: [String: any Sendable] in [[:], ["expires_at": "2001-01-01T00:00:00Z"]] {
                let issued = try await platform.issue()
                let expired = try await client.call("POST", path(issued.resourceID), body)
                #expect(expired.status == 200, "\(expired.body)")
                #expect(expired.json["expires_at"] is String)
                #expect(try await !platform.letsIn(issued.string("secret") ?? ""))
                #expect(try await platform.audit(issued.resourceID).map(\.action) == ["issueAPIKey", "authKitExpireAPIKey"])
                // It does not become valid again.
                for body: [String: any Sendable] in [[:], ["expires_at": "2099-01-01T00:00:00Z"]] {
                    #expect(try await client.call("POST", path(issued.resourceID), body).isError(409, "conflict"))
                }
            }
        }
    }

    @Test("a time schedules the end, which can come earlier and not later")
    func schedules() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let issued = try await platform.issue()
            let path = path(issued.resourceID)
            func expire(_ time: String) async throws -> TestBrowser.Answer {
                try await client.call("POST", path, body: #"{"expires_at":\#(time)}"#)
            }
            #expect(try await expire("null").json["expires_at"] is NSNull)
            let later = try await expire(#""2099-01-01T00:00:00Z""#)
            #expect(later.string("expires_at") == "2099-01-01T00:00:00Z", "\(later.body)")
            // A repetition changes nothing and leaves no trace.
            #expect(try await expire(#""2099-01-01T00:00:00Z""#).body == later.body)
            for time in ["null", #""2099-01-02T00:00:00Z""#] { #expect(try await expire(time).isError(409, "conflict"), "\(time)") }
            #expect(try await expire(#""2098-01-01T00:00:00Z""#).status == 200)
            #expect(try await platform.letsIn(issued.string("secret") ?? ""))
            let trail = try await platform.audit(issued.resourceID)
            #expect(trail.map(\.action) == ["issueAPIKey", "authKitExpireAPIKey", "authKitExpireAPIKey"])
        }
    }

    @Test("a revoked or another tenant's key, a key without the scope and an invalid body are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let revoked = try await platform.issue()
            _ = try await client.call("DELETE", "/api_keys/\(revoked.resourceID)")
            #expect(try await client.call("POST", path(revoked.resourceID), [:]).isError(409, "conflict"))
            #expect(try await client.call("POST", path(platform.globex.api_keys[0].id), [:]).isError(404, "entity_not_found"))
            #expect(try await client.call("POST", "/api_keys/x/expire", [:]).isError(404, "entity_not_found"))
            let issued = try await platform.issue()
            let reader = issued.string("secret")
            #expect(try await client.call("POST", path(issued.resourceID), key: reader, [:]).isError(403, "insufficient_scope"))
            for body: [String: any Sendable] in [["expires_at": "soon"], ["expires_at": 1], ["ends_at": "2099-01-01T00:00:00Z"]] {
                #expect(try await client.call("POST", path(issued.resourceID), body).isError(422, "invalid_request_parameters"), "\(body)")
            }
        }
    }
}
