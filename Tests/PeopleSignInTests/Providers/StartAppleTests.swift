import Foundation
import Server
import TestSupport
import Testing

@Suite("Start Apple")
struct StartAppleTests {
    @Test("the button leads to the sign-in of the platform's tenant, and without such a tenant there is none")
    func leads() async throws {
        try await ApplePlatform.run { apple in
            let browser = TestBrowser(publicURL: apple.provider.root, address: apple.platform.address)
            let url = try await apple.leave("/account/apple", from: "/account/sign-in", in: browser)
            #expect(url.hasPrefix("\(apple.provider.root)/account/apple/callback?code="))
        }
        try await TestPlatform.run { platform in
            let page = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/account/sign-in")
            #expect(page.status == 200 && !page.body.contains("/account/apple"))
        }
    }
}
