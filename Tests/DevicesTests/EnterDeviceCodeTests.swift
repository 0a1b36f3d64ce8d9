import Foundation
import Server
import TestSupport
import Testing

@Suite("Enter device code")
struct EnterDeviceCodeTests {
    @Test("the page asks for the code; a link fills it in, and shows or decides nothing else")
    func page() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let empty = try await client.browser.get(client.page)
            #expect(empty.isDevicePage(200), "\(empty.body)")
            #expect(empty.body.contains("name=\"user_code\" value=\"\""))
            let filled = try await client.browser.get("\(client.page)?user_code=\(codes.user.lowercased())")
            #expect(filled.isDevicePage(200))
            #expect(filled.body.contains("name=\"user_code\" value=\"\(codes.user)\""))
            #expect(!filled.body.contains("Single page"))
            #expect(client.browser.cookies.isEmpty)
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
        }
    }

    @Test(
        "nothing of a link becomes part of the page, except for a code",
        arguments: ["%22%3E%3Cscript%3E", "%D8%80%22%3E%3Cb%3E", "BCDFGHJK%CC%81", "%E2%80%8DBCDFGHJK", "BCDFGHJKL"])
    func hostile(text: String) async throws {
        try await TestPlatform.run { platform in
            let page = "\(platform.acme.issuer)/device"
            let (answer, empty) = (
                try await TestBrowser(platform).get("\(page)?user_code=\(text)"), try await TestBrowser(platform).get(page)
            )
            #expect(answer.body == empty.body)
        }
    }

    @Test("an unknown tenant and a malformed query get a page")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let unknown = try await browser.get("\(TestPlatform.publicURL)/t/nobody/device")
            #expect(unknown.isPage(404))
            let repeated = try await browser.get("\(platform.acme.issuer)/device?user_code=a&user_code=b")
            #expect(repeated.isPage(400))
        }
    }
}
