import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Mushu user")
struct MushuUserTests {
    @Test("the user has the time of the first sign-in, and of the newest one on any device")
    func user() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let first = try await client.tokens(person: "Ada Lovelace")
            _ = try await client.tokens(person: "Ada Lovelace")
            _ = try await platform.ownerPool.run(
                """
                UPDATE session SET created_at = created_at - interval '1 day'
                WHERE created_at = (SELECT min(created_at) FROM session)
                """)
            let user = try await client.get("users/me", first.access)
            #expect(user.status == 200, "\(user.body)")
            #expect(user.string("name") == "Ada Lovelace")
            #expect(user.json["email_verified"] as? Bool == true)
            let format = Date.ISO8601FormatStyle()
            let login = try format.parse(try #require(user.string("last_login")))
            #expect(Date().timeIntervalSince(login) < 3600)
            _ = try format.parse(try #require(user.string("created_at")))
        }
    }

    @Test("the scopes of a token decide about the name and the address")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            var request = TestBrowser.Request(client.tenant, application: 1)
            request.scope = "openid"
            request.redirectURI = "https://app.test/callback"
            let token = try await client.browser.tokens(request)["access_token"] as? String
            let user = try await client.get("users/me", token)
            #expect(user.status == 200)
            #expect(user.json["name"] is NSNull)
            #expect(user.json["email"] is NSNull)
            #expect(user.json["email_verified"] as? Bool == false)
        }
    }

    @Test("an invalid token gets 401, and a missing one 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let tokens = try await client.tokens()
            #expect(try await client.logout(tokens).status == 200)
            for token in ["x", tokens.access, tokens.refresh] { #expect(try await client.get("users/me", token).isRefusal(401)) }
            #expect(try await client.get("users/me", nil).invalidParts == ["header.authorization: missing"])
            let basic = try await client.browser.get("\(client.base)/users/me", headers: [("Authorization", "Basic eDp5")])
            #expect(basic.isRefusal(401))
        }
    }
}
