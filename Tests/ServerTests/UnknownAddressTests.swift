import Foundation
import Server
import TestSupport
import Testing

/// Pages for people who open an address that is not a page.
@Suite("Addresses without a page")
struct UnknownAddressTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    @Test("a browser gets a page and a program gets JSON: at a callback and at an unknown address; the REST API responds in JSON")
    func people() async throws {
        try await TestPlatform.run { platform in
            for url in [platform.acme.return_url, platform.globex.return_url, "\(platform.acme.issuer)/oauth2/token"] {
                let page = try await TestBrowser(platform).get(url, headers: Self.browser)
                #expect(page.status == 405 && page.header("Allow") == "POST", "\(url)")
                #expect(page.header("Content-Type") == "text/html; charset=utf-8", "\(url)")
                #expect(page.body.contains("<h1>This address is not a page</h1>") && page.body.contains("sign in again"))
                let problem = try await TestBrowser(platform).get(url)
                #expect(problem.status == 405 && problem.json["code"] as? String == "method_not_allowed", "\(url)")
            }
            let nothing = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/nothing", headers: Self.browser)
            #expect(nothing.status == 404 && nothing.body.contains("<h1>There is no page at this address</h1>"))
            let ofAccount = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/account/nothing", headers: Self.browser)
            #expect(ofAccount.status == 404 && ofAccount.body.contains("<h1>There is no page at this address</h1>"))
            #expect(ofAccount.body.contains("<a class=\"button\" href=\"/account\">Back to your account</a>"))
            for url in ["/v1/nothing", "/v1/tenants/acme"] {
                let answer = try await TestBrowser(platform).get(TestPlatform.publicURL + url, headers: Self.browser)
                #expect(answer.header("Content-Type") == "application/problem+json", "\(url)")
            }
            let posted = try await TestBrowser(platform).post("\(TestPlatform.publicURL)/nothing", form: [], headers: Self.browser)
            #expect(posted.header("Content-Type") == "application/problem+json")
        }
    }

    @Test("the page of a rejected redirect URI shows it, the application's name and the next step; lookalike letters are escaped")
    func redirectMismatch() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            func page(_ uri: String) async throws -> TestBrowser.Answer {
                var parameters = request.parameters.filter { $0.0 != "redirect_uri" }
                parameters.append(("redirect_uri", uri))
                return try await TestBrowser(platform).get(TestBrowser.Request.url("\(platform.acme.issuer)/oauth2/authorize", parameters))
            }
            let application = try await platform.call("GET", "/tenants/acme/applications/\(request.application.client_id)")
            let name = try #require(application.json["name"] as? String)
            let shown = try await page("https://app.test/callback2?a=b&c=<d>")
            #expect(shown.status == 400 && shown.body.contains("<bdi>\(name)</bdi>"))
            #expect(shown.body.contains("<bdi>https://app.test/callback2?a=b&amp;c=&lt;d&gt;</bdi>"))
            #expect(shown.body.contains("add this exact address to its <bdi>redirect_uris</bdi>"))
            // A Cyrillic letter, and a mark that reverses the rest of a line.
            #expect(try await page("https://аpp.test/\u{202E}x").body.contains("<bdi>https://%D0%B0pp.test/%E2%80%AEx</bdi>"))
            #expect(try await page(String(repeating: "a", count: 2000)).body.contains("<bdi>\(String(repeating: "a", count: 500))…</bdi>"))
        }
    }
}
