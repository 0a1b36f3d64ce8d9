import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A thief of a session opens a way in that outlasts the session.
@Suite("Attack: a stolen session with an old sign-in")
struct StepUpTests {
    @Test("it opens no way in, reveals no secret, sends no data elsewhere and costs no money; it can only end a support access")
    func oldSignIn() async throws {
        try await TestPlatform.run { platform in
            let (ada, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            _ = try await platform.ownerPool.run("UPDATE membership SET role = 'owner'")
            let token = try #require(try await ada.redeem(try await ada.code(program), program).string("access_token"))
            _ = try await platform.ownerPool.run("UPDATE person_session SET authenticated_at = now() - interval '11 minutes'")

            let hook: [String: any Sendable] = ["url": "https://hooks.example.com/", "events": ["user.deleted"]]
            let webhook = "/tenants/acme/webhooks/\(try await platform.call("POST", "/tenants/acme/webhooks", hook).resourceID)"
            let connection = try #require(try await platform.call("GET", "/tenants/acme/connections").ids.first)
            let (application, user) = (platform.acme.applications[0].client_id, try await platform.login("Ada Lovelace").user)
            let attempts: [(method: String, path: String, body: [String: any Sendable])] = [
                ("PATCH", "/tenants/acme", ["session_seconds": 31_536_000]),
                ("POST", "/tenants/acme/initial-access-tokens", ["name": "Back door"]),
                ("POST", "/tenants/acme/webhooks", hook), ("PATCH", webhook, ["url": "https://thief.example.com/"]),
                ("POST", "\(webhook)/secrets/roll", [:]),
                ("POST", "/tenants/acme/connections", ["team_id": "TEAM123456"]),
                ("PATCH", "/tenants/acme/connections/\(connection)", ["bundle_ids": ["com.example.thief"]]),
                ("POST", "/tenants/acme/transfers", ["connection_id": connection, "to_team_id": "TEAM123456"]),
                ("POST", "/tenants/acme/invitations", ["email": "alias@example.com", "role": "owner"]),
                ("POST", "/tenants/acme/api-keys", ["name": "Back door", "scopes": ["users:read"]]),
                ("POST", "/tenants/acme/applications", ["name": "Back door", "kind": "machine"]),
                ("PATCH", "/tenants/acme/applications/\(application)", ["redirect_uris": ["https://thief.example.com/"]]),
                ("POST", "/tenants/acme/users/\(user)/identities", ["team_id": platform.own.team, "subject": "000123.thief"]),
                ("POST", "/tenants/acme/domains", ["host": "login.thief.example"]),
            ]
            let before = try await platform.count("audit_event")
            for attempt in attempts {
                let answer = try await platform.call(attempt.method, attempt.path, key: token, attempt.body)
                #expect(answer.status == 403 && answer.string("code") == "recent_sign_in_required", "\(attempt.path): \(answer.body)")
            }
            #expect(try await platform.count("audit_event") == before)
            // The other calls still work, and the brake of the owner needs no sign-in.
            #expect(try await platform.call("GET", webhook, key: token).status == 200)
            let end = try await platform.call(
                "POST", "/tenants/acme/support-accesses/support_01jd8x3v6qf9wr2m5tzk7h4c0n/end", key: token)
            #expect(end.status == 404, "\(end.body)")
        }
    }
}
