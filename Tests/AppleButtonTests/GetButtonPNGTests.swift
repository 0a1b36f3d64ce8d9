import Foundation
import Server
import Testing
import TestSupport
import Web

@testable import AppleButton

@Suite("Get button PNG")
struct GetButtonPNGTests {
    private static let url = "\(TestPlatform.publicURL)/button.png"

    @Test("the image has the pixels of its scale, and the headers of the SVG")
    func image() async throws {
        try await TestPlatform.run { platform in
            for (query, button, scale) in [
                ("", AppleButton(), 1), ("?scale=3&color=white&border=true", AppleButton(color: .white, hasBorder: true), 3),
            ] {
                let answer = try await TestBrowser(platform).get(Self.url + query)
                #expect(answer.status == 200 && answer.header("Content-Type") == "image/png")
                // The body is not text, so its length and its digest in the tag stand for it.
                let bytes = button.png(scale: scale)
                #expect(answer.header("Content-Length") == "\(bytes.count)")
                let image = try await ButtonImages().image(.init(button: button, scale: scale), for: RequestRecord())
                #expect(answer.header("ETag") == image.tag.text)
                #expect(answer.header("Cross-Origin-Resource-Policy") == "cross-origin")
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
                let pixels = try PNGPixels(bytes)
                #expect(pixels.width == 140 * scale && pixels.height == 30 * scale)
            }
        }
    }

    @Test("the corners are transparent, and the colors are those of the style")
    func pixels() throws {
        let black = try PNGPixels(AppleButton(cornerRadius: 50).png(scale: 2))
        #expect(black.alpha(0, 0) == 0 && black.alpha(279, 59) == 0 && black.alpha(1, 30) == 255 && black.gray(6, 30) == 0)
        let outlined = try PNGPixels(AppleButton(color: .white, hasBorder: true, cornerRadius: 0).png(scale: 2))
        #expect(outlined.alpha(0, 0) == 255 && outlined.gray(0, 0) == 0 && outlined.gray(1, 1) == 0 && outlined.gray(2, 2) == 255)
        // The logo and the text are the other color somewhere.
        #expect((0..<280).contains { black.gray($0, 30) == 255 } && (2..<278).contains { outlined.gray($0, 30) == 0 })
    }

    @Test("an address has a limit of images that are drawn for it; the error names the time to wait")
    func limit() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            var (answer, drawn) = (try await browser.get(Self.url), 1)
            #expect(answer.status == 200 && answer.header("RateLimit") == nil)
            // Some tokens return while the images are drawn.
            for width in AppleButton.widths where answer.status == 200 {
                for radius in 20...30 where answer.status == 200 {
                    answer = try await browser.get(Self.url + "?width=\(width)&border_radius=\(radius)")
                    drawn += 1
                }
            }
            #expect(answer.status == 429 && drawn > 120, "\(drawn)")
            #expect(answer.json["code"] as? String == "rate_limited" && answer.header("Retry-After") != nil)
            #expect(answer.header("RateLimit-Policy") == "\"button\";q=120;w=60", "\(answer.headers)")
            #expect(answer.header("RateLimit")?.hasPrefix("\"button\";r=0;t=") == true)
        }
    }
}
