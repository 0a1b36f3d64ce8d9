import Foundation
import Server
import TestSupport
import Testing

@Suite("Offline access")
struct OfflineAccessTests {
    @Test("an application that requires offline_access gets a refresh token only with this scope, and all else as before")
    func required() async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme)
            try await platform.change(request.application, "requires_offline_access = true")
            let browser = TestBrowser(platform)

            let without = try await browser.tokens(request, person: "Ada Lovelace")
            #expect(Set(without.keys) == ["access_token", "token_type", "expires_in", "id_token", "scope"])
            #expect(without["scope"] as? String == "openid profile email")
            let access = without["access_token"] as? String
            #expect(try await browser.userInfo(access, of: platform.acme).status == 200)
            let session = try claims(of: access)["sid"] as? String
            #expect(try claims(of: without["id_token"] as? String)["sid"] as? String == session)
            // The login is billed, and its session is listed until it ends.
            #expect(try await platform.countBilled() == 1)
            let listed = try await platform.call("GET", "/tenants/acme/sessions")
            #expect((listed.json["data"] as? [[String: any Sendable]])?.first?["id"] as? String == session)
            #expect(try await platform.revoke(access ?? "", as: Credentials(request.application)).status == 200)
            #expect(try await browser.userInfo(access, of: platform.acme).status == 401)

            request.scope = "openid offline_access"
            let with = try await browser.tokens(request, person: "Ada Lovelace")
            let token = try #require(with["refresh_token"] as? String)
            let next = try await browser.refresh(token, request)
            #expect(next.status == 200)
            // The session has been granted it, although this request names fewer scopes.
            let narrowed = try await browser.token(
                request,
                [("grant_type", "refresh_token"), ("refresh_token", next.string("refresh_token") ?? ""), ("scope", "openid")])
            #expect(narrowed.string("scope") == "openid")
            #expect(narrowed.string("refresh_token") != nil)
        }
    }

    @Test("an application that gets the setting later keeps its refresh tokens")
    func later() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let token = try #require(try await browser.tokens(request)["refresh_token"] as? String)
            try await platform.change(request.application, "requires_offline_access = true")
            #expect(try await browser.refresh(token, request).string("refresh_token") != nil)
            #expect(try await browser.tokens(request)["refresh_token"] == nil)
        }
    }

    @Test("other applications get a refresh token with every login")
    func notRequired() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            try await platform.change(platform.acme.applications[1], "requires_offline_access = true")
            #expect(try await TestBrowser(platform).tokens(request)["refresh_token"] is String)
        }
    }

    @Test("the same applies to native sign-ins")
    func native() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            try await platform.change(phone.application, "requires_offline_access = true")
            let without = try await phone.exchange(try await phone.authorize("Ada Lovelace"))
            #expect(without.status == 200, "\(without.body)")
            #expect(without.json["refresh_token"] == nil)
            let with = try await phone.exchange(try await phone.authorize("Ada Lovelace"), changing: ["scope": "openid offline_access"])
            #expect(with.string("refresh_token") != nil, "\(with.body)")
        }
    }
}
