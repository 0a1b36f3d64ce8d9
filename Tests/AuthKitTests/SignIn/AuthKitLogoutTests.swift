import Foundation
import Postgres
import Server
import Tenancy
import Testing
import TestSupport

@Suite("AuthKit logout")
struct AuthKitLogoutTests {
    @Test("the session ends, and the browser returns only to a registered URI")
    func logout() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            _ = try await platform.ownerPool.run("UPDATE application SET logout_uris = '{https://app.test/bye}'")
            platform.installation.directory.forgetAll(isFresh: true)
            for (uri, status) in [(nil, 200), ("https://app.test/bye", 303), ("https://evil.test/", 400)] {
                let login = try await client.login()
                let session = try #require(try claims(of: login.accessToken)["sid"] as? String)
                let answer = try await client.logout([("session_id", session)] + (uri.map { [("return_to", $0)] } ?? []))
                #expect(answer.status == status, "\(answer.body)")
                #expect(answer.location == (status == 303 ? uri : nil))
                #expect(try await client.refresh(login.string("refresh_token")).isOAuthError(400, "invalid_grant"))
                #expect(try await client.logout([("session_id", session)]).status == 200)
                let short = String(session.prefix("session_".count + 26))
                #expect(try await platform.audit(short).map(\.action) == ["session.logout"])
            }
        }
    }

    @Test("another or an incomplete session ID ends nothing")
    func unknown() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let login = try await client.login()
            let session = try #require(try claims(of: login.accessToken)["sid"] as? String)
            let short = String(session.prefix("session_".count + 26))
            let other = short + platform.globex.applications[0].client_id.dropFirst("app_".count)
            // A list, a usage event or a token for an API has the IDs, and not the proof.
            let unproven = String(session.prefix("session_".count + 52))
            for id in [
                other, unproven, "\(unproven)_", String(session.dropLast()) + (session.last == "A" ? "Q" : "A"), short, session + "0",
                "session_x", short + "00000000000000000000000000",
            ] {
                #expect(try await client.logout([("session_id", id)]).isPage(400), "\(id)")
            }
            #expect(try await client.logout([]).isPage(400))
            #expect(try await client.refresh(login.string("refresh_token")).status == 200)
        }
    }
}
