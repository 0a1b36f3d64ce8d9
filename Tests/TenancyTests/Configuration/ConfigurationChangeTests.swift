import Crypto
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// Every process uses a changed configuration within a second. These tests use two.
@Suite("Changed configuration")
struct ConfigurationChangeTests {
    @Test("a new Apple key signs at once in every process, so the old one may be revoked at Apple")
    func newAppleKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                #expect(try await browser.signIn(request)["code"] != nil)
                #expect(try await server.signIn(request, browser)["code"] != nil)

                let key = P256.Signing.PrivateKey()
                let keyID = (platform.own.keyID.hasPrefix("N") ? "M" : "N") + platform.own.keyID.dropFirst()
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

    @Test("the next request uses a changed redirect URI and Services ID")
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
                try await eventually("this process knows the new URI") { try await browser.authorize(moved).status == 302 }
                try await eventually("the other process knows the new URI") { try await browser.get(other).status == 302 }
                #expect(try await browser.authorize(request).isPage(400))

                _ = try await platform.ownerPool.run(
                    "UPDATE connection SET services_id = 'com.example.new' WHERE team_id = \(platform.own.team)")
                try await eventually("this process uses the new Services ID") {
                    try await browser.authorize(moved)["client_id"] == "com.example.new"
                }
                try await eventually("the other process uses the new Services ID") {
                    try await browser.get(other)["client_id"] == "com.example.new"
                }
            }
        }
    }

    @Test("a new tenant works at once, even on a server that just reported its slug as unknown")
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

    @Test("a change of the shared connection reaches every tenant on it")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            #expect(try await browser.authorize(request)["client_id"] == platform.shared.servicesID)
            _ = try await platform.ownerPool.run(
                "UPDATE connection SET services_id = 'com.example.new' WHERE team_id = \(platform.shared.team)")
            try await eventually("the new Services ID is used") { try await browser.authorize(request)["client_id"] == "com.example.new" }
        }
    }

    @Test("a login that starts at one process can finish at another")
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
