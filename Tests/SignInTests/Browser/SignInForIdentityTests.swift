import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Sign in for an identity")
struct SignInForIdentityTests {
    @Test("the address leads to Apple; a made-up, altered or foreign ticket, and a frame, get a page")
    func tickets() async throws {
        try await Linking.run { linking in
            let url = try await linking.requestAddress()
            let toApple = try await linking.browser.get(url)
            #expect(toApple.status == 302 && toApple.location?.hasPrefix(linking.platform.simulator.url) == true)
            let ticket = try #require(URLComponents(string: url)?.queryItems?.first?.value)
            let page = "\(linking.platform.acme.issuer)/oauth2/identities"
            for other in ["", "?ticket=", "?ticket=x", "?ticket=\(ticket)x", "?ticket=\(ticket)&ticket=\(ticket)"] {
                #expect(try await linking.elsewhere.browser.get(page + other).isPage(400), "\(other)")
            }
            let foreign = "\(linking.platform.globex.issuer)/oauth2/identities?ticket=\(ticket)"
            #expect(try await linking.elsewhere.browser.get(foreign).isPage(400))
            #expect(try await linking.elsewhere.browser.get(url, headers: [("Sec-Fetch-Dest", "iframe")]).isPage(400))
            try await linking.platform.setRedirectURIs(["https://other.test/"], of: linking.request.application)
            linking.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await linking.elsewhere.browser.get(url).isPage(400))
        }
    }

    @Test("a cancelled sign-in returns to the application, and creates no user")
    func cancelled() async throws {
        try await Linking.run { linking in
            let back = try await linking.confirmation(at: try await linking.requestAddress(), as: "cancel")
            #expect(back["error"] == "access_denied" && back["state"] == "s" && back["code"] == nil)
            #expect(try await linking.platform.count("tenant_user") == 1)
        }
    }
}
