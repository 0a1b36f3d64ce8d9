import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu logout")
struct MushuLogoutTests {
    @Test("a logout ends the session of either token, and again is not an error")
    func logout() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            for spoil in ["none", "access", "refresh"] {
                let tokens = try await client.tokens()
                var sent = tokens
                if spoil == "access" { sent.access = "expired" }
                if spoil == "refresh" { sent.refresh = "" }
                for _ in 0..<2 {
                    let answer = try await client.logout(sent)
                    #expect(answer.status == 200, "\(spoil): \(answer.body)")
                    #expect(answer.string("status") == "logged_out")
                }
                #expect(try await !client.isValid(tokens.access), "\(spoil)")
                #expect(try await client.refresh(tokens).isRefusal(401), "\(spoil)")
            }
            #expect(try await platform.count("session", where: "ended_reason = 'token_revoked'") == 3)
        }
    }

    @Test("tokens of no session and of another application get 401, and end nothing")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let request = TestBrowser.Request(platform.acme)
            let web = try await client.browser.tokens(request)
            let (access, refresh) = (web["access_token"] as? String ?? "", web["refresh_token"] as? String ?? "")
            let other = try await MushuClient.make(platform, tenant: 1).tokens()
            for tokens in [MushuClient.Tokens(access: "x", refresh: "y"), .init(access: access, refresh: refresh), other] {
                #expect(try await client.logout(tokens).isRefusal(401))
            }
            #expect(
                try await client.post("auth/logout", [:]).invalidParts == ["body.access_token: missing", "body.refresh_token: missing"])
            #expect(try await client.browser.refresh(refresh, request).status == 200)
            #expect(try await platform.count("session", where: "ended_at IS NOT NULL") == 0)
        }
    }
}
