import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu refresh")
struct MushuRefreshTests {
    @Test("a refresh gives the user and new tokens, and costs nothing")
    func refresh() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let tokens = try await client.tokens(person: "Ada Lovelace")
            let first = try await client.refresh(tokens)
            #expect(first.status == 200, "\(first.body)")
            #expect(first.user["name"] as? String == "Ada Lovelace")
            #expect(first.tokens.refresh != tokens.refresh)
            #expect(try claims(of: first.tokens.access)["sid"] as? String == (try claims(of: tokens.access))["sid"] as? String)
            // A lost response, and an access token that is not one.
            let again = try await client.refresh(.init(access: "expired", refresh: tokens.refresh))
            #expect(again.tokens.refresh == first.tokens.refresh)
            #expect(try await client.refresh(first.tokens).status == 200)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a made-up token, one of another application and one of an ended session get 401; missing tokens are named")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let tokens = try await client.tokens()
            let other = try await MushuClient.make(platform, tenant: 1).tokens()
            let request = TestBrowser.Request(platform.acme)
            let web = try await client.browser.tokens(request)["refresh_token"] as? String ?? ""
            for refresh in ["x", "", "é", other.refresh, web, tokens.access] {
                let answer = try await client.refresh(.init(access: tokens.access, refresh: refresh))
                #expect(answer.isRefusal(401), "\(answer.status) \(answer.body)")
            }
            #expect(try await client.post("auth/refresh", ["refresh_token": tokens.refresh]).invalidParts == ["body.access_token: missing"])
            #expect(try await client.post("auth/refresh", ["access_token": "x"]).invalidParts == ["body.refresh_token: missing"])
            // The refusals have ended nothing.
            #expect(try await client.refresh(tokens).status == 200)
            #expect(try await client.browser.refresh(web, request).status == 200)
            #expect(try await client.logout(tokens).status == 200)
            #expect(try await client.refresh(tokens).isRefusal(401))
        }
    }
}
