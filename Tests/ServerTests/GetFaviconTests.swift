import Foundation
import Server
import Testing
import TestSupport

@Suite("Get favicon")
struct GetFaviconTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    @Test("there is an icon, an ICO file of 32 by 32 pixels, and pages may show it")
    func favicon() async throws {
        try await TestPlatform.run { platform in
            let icon = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/favicon.ico")
            #expect(icon.status == 200 && icon.header("Content-Type") == "image/vnd.microsoft.icon")
            #expect(icon.header("Content-Length") == "269" && icon.body.utf8.starts(with: [0, 0, 1, 0, 1, 0, 32, 32]))
            let page = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/nothing", headers: Self.browser)
            #expect(page.header("Content-Security-Policy")?.contains("img-src 'self'") == true)
        }
    }
}
