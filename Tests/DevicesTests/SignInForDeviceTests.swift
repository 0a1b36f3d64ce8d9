import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Sign in for device")
struct SignInForDeviceTests {
    @Test("the link leads to Apple, only in the browser that saw the device, and gives the device nothing")
    func toApple() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let link = TestPlatform.publicURL + (try #require(try await client.show(codes.user).link))
            let toApple = try await client.browser.get(link)
            #expect(toApple.status == 302)
            #expect(toApple["client_id"] == platform.own.servicesID)
            #expect(try await TestBrowser(platform).get(link).isPage(400))
            #expect(try await client.browser.get(link, headers: [("Sec-Fetch-Dest", "iframe")]).isPage(400))
            for ticket in ["", "x", String(repeating: "A", count: 5000)] {
                #expect(try await client.browser.get("\(client.page)/sign-in?ticket=\(ticket)").isPage(400))
            }
            // A ticket of another tenant.
            let other = link.replacing("/t/acme/", with: "/t/globex/")
            #expect(try await client.browser.get(other).isPage(400))
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "authorization_pending"))
        }
    }

    @Test("a device that has expired, or whose application lost the setting, gets a page")
    func gone() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let link = TestPlatform.publicURL + (try #require(try await client.show(try await client.codes().user).link))
            try await client.allow(false)
            #expect(try await client.browser.get(link).isPage(400))
            try await client.allow(true)
            _ = try await platform.ownerPool.run("UPDATE device_authorization SET expires_at = now()")
            #expect(try await client.browser.get(link).isPage(400))
        }
    }

    @Test("a first sign-in with the address of another user creates a user, although the tenant asks in browsers")
    func sameAddress() async throws {
        try await Linking.run(["account_linking": "ask"]) { linking in
            let tokens = try await DeviceClient(linking.platform).tokens(person: linking.second)
            let user = try #require(try claims(of: tokens.string("access_token"))["sub"] as? String)
            #expect(user != linking.owner.user)
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.count("tenant_user") == 2)
        }
    }
}
