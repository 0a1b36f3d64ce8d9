import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu callback")
struct MushuCallbackTests {
    @Test("Apple's form completes a sign-in of this application in this browser", arguments: [0, 1])
    func form(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, tenant: number)
            var form = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            form.action = "\(client.base)/auth/apple/callback"
            let back = try await client.browser.callback(form)
            #expect(back.status == 303)
            #expect(back["access_token"] != nil, "\(back.location ?? back.body)")
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a form for another application or another tenant, and a forged state, get a page")
    func otherForm() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let other = try await MushuClient.make(platform, tenant: 1)
            var form = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            for action in [
                "\(other.base)/auth/apple/callback",
                "\(client.tenant.issuer)/mushu/\(client.tenant.applications[0].client_id)/auth/apple/callback",
                "\(client.tenant.issuer)/mushu/nobody/auth/apple/callback",
            ] {
                form.action = action
                #expect(try await client.browser.callback(form).isPage(400), "\(action)")
            }
            form.action = "\(client.base)/auth/apple/callback"
            form["state"] = "x"
            #expect(try await client.browser.callback(form).isPage(400))
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("JSON needs only the id_token, and takes the code under both names")
    func json() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let client = try await MushuClient.make(platform, [:])
            for name in [nil, "code", "access_code"] {
                let credential = try await phone.authorize()
                var body: [String: any Sendable] = ["id_token": credential.idToken, "nonce": credential.nonce ?? ""]
                if let name { body[name] = credential.code }
                let answer = try await client.post("auth/apple/callback", body)
                #expect(answer.status == 200, "\(name ?? "none"): \(answer.body)")
                #expect(try await client.isValid(answer.tokens.access))
            }
            // Apple's refresh token is stored only with a code.
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL") == 2)
            #expect(try await platform.countBilled() == 3)
            #expect(try await client.post("auth/apple/callback", [:]).invalidParts == ["body.id_token: missing"])
            let text = try await client.post("auth/apple/callback", text: "x", type: "text/plain")
            #expect(text.isRefusal(415), "\(text.body)")
        }
    }
}
