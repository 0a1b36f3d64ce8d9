import Crypto
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A change of configuration is in use by every process within a second: here, by two.
@Suite("Changed configuration")
struct ConfigurationChangeTests {
    @Test("a new Apple key signs at once, everywhere: the old one may be revoked at Apple")
    func newAppleKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                #expect(try await browser.signIn(request)["code"] != nil)
                #expect(try await server.signIn(request, browser)["code"] != nil)

                let key = P256.Signing.PrivateKey()
                let keyID = "N" + platform.own.keyID.dropFirst()
                try await platform.simulator.send(
                    .POST, "/simulator/keys",
                    ["team": platform.own.team, "id": keyID, "public_key": key.publicKey.pemRepresentation])
                try await platform.replaceAppleKey(with: key, keyID: keyID)
                try await platform.simulator.send(.DELETE, "/simulator/keys/\(platform.own.keyID)", [:])
                try await eventually("this process signs with the new key") { try await browser.signIn(request)["code"] != nil }
                try await eventually("the other process signs with the new key") {
                    try await server.signIn(request, browser)["code"] != nil
                }
            }
        }
    }

    @Test("another redirect URI, another Services ID: the next request goes by them")
    func connection() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var moved = request
                moved.redirectURI = "https://new.test/callback"
                let other = server.address + moved.authorizeURL.dropFirst(TestPlatform.publicURL.count)
                #expect(try await browser.authorize(moved).isPage(400))
                #expect(try await browser.get(other).isPage(400))
                try await platform.setRedirectURIs([moved.redirectURI], of: request.application)
                try await eventually("this process knows the new one") { try await browser.authorize(moved).status == 302 }
                try await eventually("the other process knows the new one") { try await browser.get(other).status == 302 }
                #expect(try await browser.authorize(request).isPage(400))

                _ = try await platform.ownerPool.run(
                    "UPDATE connection SET services_id = 'com.example.new' WHERE team_id = \(platform.own.team)")
                try await eventually("this process names the new one") {
                    try await browser.authorize(moved)["client_id"] == "com.example.new"
                }
                try await eventually("the other process names the new one") {
                    try await browser.get(other)["client_id"] == "com.example.new"
                }
            }
        }
    }

    @Test("a new tenant works at once, even on a server that has just answered that its slug is unknown")
    func newTenant() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                let (here, there) = ("\(TestPlatform.publicURL)/t/initech/oauth2/jwks", "\(server.address)/t/initech/oauth2/jwks")
                for url in [here, there] { #expect(try await browser.get(url).status == 404) }
                let created = try await platform.call("POST", "/tenants", ["slug": "initech", "name": "Initech", "plan": "free"])
                #expect(created.status == 201)
                #expect(try await browser.get(here).status == 200)
                try await eventually("the other server knows the tenant") { try await browser.get(there).status == 200 }
            }
        }
    }

    @Test("the shared connection's change reaches every tenant on it")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            #expect(try await browser.authorize(request)["client_id"] == platform.shared.servicesID)
            _ = try await platform.ownerPool.run(
                "UPDATE connection SET services_id = 'com.example.new' WHERE team_id = \(platform.shared.team)")
            try await eventually("the new one is named") { try await browser.authorize(request)["client_id"] == "com.example.new" }
        }
    }

    @Test("a login begun at one process is finished at another")
    func acrossProcesses() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let form = try await browser.atApple(try await browser.authorize(request), person: "new")
                let cookie = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
                let code = try #require(try await server.callback(form, cookie: cookie, browser)["code"])
                let tokens = try await browser.redeem(code, request)
                #expect(tokens.status == 200)
                let userInfo = try await browser.get(
                    "\(server.address)/t/acme/oauth2/userinfo", headers: [("Authorization", "Bearer \(tokens.string("access_token")!)")])
                #expect(userInfo.status == 200)
                #expect(try await server.redeem(code, request, browser).isOAuthError(400, "invalid_grant"))
            }
        }
    }
}
