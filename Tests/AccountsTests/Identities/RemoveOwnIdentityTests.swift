import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Remove own identity")
struct RemoveOwnIdentityTests {
    @Test("the person removes one of two Apple Accounts; all sessions end")
    func removed() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let ids = try await linking.own("GET").ids
            #expect(try await linking.own("DELETE", "/\(ids[1])").status == 204)
            #expect(try await linking.owner.isOver())
            #expect(try await linking.identities() == 1)
            let audited = try await linking.platform.audited("removeOwnIdentity")
            #expect(audited.map(\.actor) == [linking.owner.request.application.client_id])
            #expect(audited.map(\.subject) == [linking.owner.user])
            #expect(try await linking.platform.login(linking.first).user == linking.owner.user)
            // A revocation during the sign-in would end it.
            try await eventually("Apple has confirmed it") { try await linking.platform.audited("revokeAtApple").count == 1 }
            #expect(linking.asks(try await linking.elsewhere.signIn()))
        }
    }

    @Test("the last Apple Account, another user's, and an old sign-in are refused")
    func refused() async throws {
        try await Linking.run { linking in
            let id = try #require(try await linking.own("GET").ids.first)
            #expect(try await linking.own("DELETE", "/\(id)").isProblem(409, "conflict"))
            for other in ["identity_x", "x", "identity_01jd8x3v6qf9wr2m5tzk7h4c0n"] {
                #expect(try await linking.own("DELETE", "/\(other)").isProblem(404, "not_found"), "\(other)")
            }
            let ada = try await linking.platform.login("Ada Lovelace")
            #expect(try await linking.own("DELETE", "/\(id)", token: ada.access).isProblem(404, "not_found"))
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)

            _ = try await linking.platform.ownerPool.run("UPDATE session SET authenticated_at = now() - interval '601 seconds'")
            let old = try await linking.own("DELETE", "/\(id)")
            #expect(old.isOAuthError(401, "insufficient_user_authentication"), "\(old.body)")
            #expect(old.header("WWW-Authenticate")?.contains("max_age=\"600\"") == true)
            #expect(try await linking.identities() == 2)
            #expect(try await linking.owner.lasts())
        }
    }
}
