import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("User info by POST")
struct UserInfoByPostTests {
    @Test("a posted form may contain the access token instead of the header, but not both")
    func byForm() async throws {
        try await TestPlatform.run { platform in
            let (browser, url) = (TestBrowser(platform), "\(platform.acme.issuer)/oauth2/userinfo")
            let access = try #require(try await browser.tokens(.init(platform.acme))["access_token"] as? String)
            let bearer = ("Authorization", "Bearer \(access)")
            #expect(try await browser.post(url, form: [("access_token", access), ("x", "y")]).status == 200)
            #expect(try await browser.post(url, form: [("x", "y")], headers: [bearer]).status == 200)
            #expect(try await browser.post(url, form: [("access_token", "x")]).isOAuthError(401, "invalid_token"))
            #expect(try await browser.post(url, form: [("access_token", "")]).isOAuthError(401, "invalid_token"))

            let both = try await browser.post(url, form: [("access_token", access)], headers: [bearer])
            let twice = try await browser.post(url, form: [("access_token", access), ("access_token", access)])
            for answer in [both, twice] {
                #expect(answer.isOAuthError(400, "invalid_request"))
                #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer realm=\"espalier\", error=\"invalid_request\", ") == true)
            }
            // A body is a form only with that media type, and a GET has none.
            let type = ("Content-Type", "application/x-www-form-urlencoded")
            #expect(try await browser.send("GET", url, headers: [type], body: "access_token=\(access)").status == 401)
            let plain = [("Content-Type", "text/plain")]
            #expect(try await browser.send("POST", url, headers: plain, body: "access_token=\(access)").status == 401)
        }
    }
}
