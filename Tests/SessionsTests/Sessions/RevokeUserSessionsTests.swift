import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Revoke user sessions")
struct RevokeUserSessionsTests {
    @Test("only the user's sessions end, all of them; webhooks receive it once, and a second call finds none")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (first, second) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper", application: 1))
            let (over, other) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            _ = try await platform.ownerPool.run(
                """
                UPDATE session SET expires_at = now() - interval '25 hours', refreshed_at = now() - interval '26 hours'
                WHERE id = \(ID<Session>(over.session))
                """)
            let path = "/tenants/acme/users/\(first.user)/sessions/revoke"
            for count in [2, 0] {
                let answer = try await platform.call("POST", path, key: platform.acme.api_keys[0].secret)
                #expect(answer.status == 200)
                #expect(answer.json["revoked"] as? Int == count)
                #expect(answer.string("object") == "revocation")
            }
            #expect(try await first.isOver())
            #expect(try await second.isOver())
            #expect(try await other.lasts())
            let events = try await platform.events("session.revoked")
            #expect(events.count == 1)
            #expect(Set(events.first?["session_ids"] as? [String] ?? []) == [first.session, second.session])
            #expect(events.first?["user_id"] as? String == first.user)
            let audited = try await platform.audited("revokeUserSessions")
            // The second call ends codes that were not redeemed yet.
            #expect(audited.map(\.subject) == [first.user, first.user])
            #expect(audited.map { $0.after["revoked"] as? Int } == [2, 0])
            // A person who signs in again has a session.
            #expect(try await platform.login("Grace Hopper").lasts())
        }
    }

    @Test("an unauthenticated caller, a key without the scope and another tenant's user are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (login, foreign) = (try await platform.login(), try await platform.login("new", platform.globex))
            let path = "/tenants/acme/users/\(login.user)/sessions/revoke"
            #expect(try await platform.call("POST", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            for id in [foreign.user, "user_x"] {
                #expect(try await platform.call("POST", "/tenants/acme/users/\(id)/sessions/revoke").isProblem(404, "not_found"))
            }
            #expect(try await login.lasts())
            #expect(try await foreign.lasts())
        }
    }
}
