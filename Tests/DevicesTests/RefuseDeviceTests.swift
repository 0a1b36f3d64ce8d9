import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Refuse device")
struct RefuseDeviceTests {
    @Test("the device gets access_denied, whether the user refuses before or after the sign-in", arguments: [false, true])
    func refused(isSignedIn: Bool) async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            var page = try await client.show(codes.user)
            if isSignedIn { page = try await client.signIn(page) }
            let done = try await client.press("refusal", on: page)
            #expect(done.status == 200, "\(done.body)")
            #expect(done.body.contains("You refused the device"))
            #expect(client.browser.cookies.isEmpty)
            #expect(try await client.poll(codes.device).isOAuthError(400, "access_denied"))
            // The decision stays.
            #expect(try await client.show(codes.user).isDevicePage(400))
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "access_denied"))
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("no other site and no other browser refuses a device")
    func forged() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.show(codes.user)
            #expect(try await client.press("refusal", on: page, headers: [("Sec-Fetch-Site", "cross-site")]).isPage(400))
            #expect(try await client.press("refusal", on: page, TestBrowser(platform)).isPage(400))
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
        }
    }
}
