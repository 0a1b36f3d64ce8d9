import Foundation
import Server
import Testing
import TestSupport

@testable import AppleButton

@Suite("Get button SVG")
struct GetButtonSVGTests {
    private static let url = "\(TestPlatform.publicURL)/button.svg"

    @Test("any site may show the image, caches keep it for a day, and it can load and run nothing")
    func headers() async throws {
        try await TestPlatform.run { platform in
            let answer = try await TestBrowser(platform).get(Self.url + "?locale=de_DE&type=continue")
            #expect(answer.status == 200 && answer.header("Content-Type") == "image/svg+xml; charset=utf-8")
            #expect(answer.body == AppleButton.svg(kind: .continueWith, locale: .german))
            #expect(answer.header("Cache-Control") == "public, max-age=86400")
            #expect(answer.header("Cross-Origin-Resource-Policy") == "cross-origin" && answer.header("Access-Control-Allow-Origin") == "*")
            #expect(answer.header("Content-Security-Policy") == "default-src 'none'; sandbox")
            #expect(answer.header("X-Content-Type-Options") == "nosniff" && answer.header("Set-Cookie") == nil)
        }
    }

    @Test("a current copy gets 304 without a body")
    func notModified() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let tag = try #require(try await browser.get(Self.url).header("ETag"))
            for given in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let answer = try await browser.get(Self.url, headers: [("If-None-Match", given)])
                #expect(answer.status == 304 && answer.body.isEmpty && answer.header("ETag") == tag, "\(given)")
                #expect(answer.header("Cache-Control") == "public, max-age=86400")
            }
            for given in ["\"x\"", String(tag.dropLast()), "\(tag)\u{301}"] {
                #expect(try await browser.get(Self.url, headers: [("If-None-Match", given)]).status == 200, "\(given)")
            }
            let other = try await browser.get(Self.url + "?color=white", headers: [("If-None-Match", tag)])
            #expect(other.status == 200 && other.header("ETag") != tag)
        }
    }

    @Test("invalid parameters get 400 with each reason, and no cache keeps it for other requests")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            let answer = try await TestBrowser(platform).get(Self.url + "?height=29&locale=xx&scale=2")
            #expect(answer.status == 400 && answer.header("Content-Type") == "application/problem+json")
            let errors = try #require(answer.json["errors"] as? [[String: String]])
            #expect(errors.map { $0["field"] } == ["scale", "height", "locale"])
            #expect(answer.header("Cache-Control")?.contains("public") != true && answer.header("ETag") == nil)
        }
    }

    @Test("invalid requests count against the limit of the address for failures, and valid ones succeed after it")
    func failures() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 20 }) { platform in
            let browser = TestBrowser(platform)
            var statuses: [Int] = []
            for _ in 1...5 {
                let answer = try await browser.get(Self.url + "?height=29")
                statuses.append(answer.status)
                #expect(answer.header("RateLimit-Policy") == "\"address\";q=2;w=60")
            }
            #expect(statuses.prefix(2) == [400, 400] && statuses.contains(429), "\(statuses)")
            #expect(try await browser.get(Self.url).status == 200)
        }
    }
}
