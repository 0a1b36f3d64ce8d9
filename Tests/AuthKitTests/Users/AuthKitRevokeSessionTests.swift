import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit revoke session")
struct AuthKitRevokeSessionTests {
    @Test("the session ends by either form of its ID, with the audit event of revokeSession")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for isShort in [false, true] {
                let login = try await client.login()
                let session = try #require(try claims(of: login.accessToken)["sid"] as? String)
                let short = String(session.prefix("session_".count + 26))
                for _ in 0..<2 {
                    let answer = try await client.call(
                        "POST", "/user_management/sessions/revoke", ["session_id": isShort ? short : session])
                    #expect(answer.status == 204, "\(answer.body)")
                }
                #expect(try await client.refresh(login.string("refresh_token")).isOAuthError(400, "invalid_grant"))
                #expect(try await platform.audit(short).map(\.action) == ["revokeSession"])
            }
        }
    }

    @Test("an unknown session gets 404, and an invalid body 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let login = try await client.login()
            let session = try #require(try claims(of: login.accessToken)["sid"] as? String)
            let path = "/user_management/sessions/revoke"
            for id in ["session_00000000000000000000000000", "x"] {
                #expect(try await client.call("POST", path, ["session_id": id]).isError(404, "entity_not_found"))
            }
            let other = platform.globex.api_keys[0].secret
            #expect(try await client.call("POST", path, key: other, ["session_id": session]).isError(404, "entity_not_found"))
            for body: [String: any Sendable] in [[:], ["session_id": 1], ["session_id": session, "nothing": 1]] {
                #expect(try await client.call("POST", path, body).isError(422, "invalid_request_parameters"))
            }
            #expect(try await client.refresh(login.string("refresh_token")).status == 200)
        }
    }
}
