import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// Text that tries to become markup of a page, next to characters that join with it into another `Character` (CWE-79; ASVS 1.2.1).
///
/// A page must have as many markup bytes as the same page with a harmless text. `HTMLTextTests.joined` tests every such character.
/// `script/check-browser` parses whole pages with Chromium.
@Suite("Attack: markup in pages")
struct PageInjectionTests {
    static let joining = ["\u{600}", "\u{301}", "\u{200D}", "\u{903}", "\u{FE0F}", "\u{1F1E6}", "\u{1161}", "\u{110BD}"]

    /// A redirect, a script, an attribute and a comment. Each markup character has the joining character on both
    /// sides.
    private static func hostile(_ joining: String) -> [String] {
        [
            "\"><meta http-equiv=refresh content=0;url=//evil.test>", "'><script>alert(1)</script>", "\" autofocus onfocus=\"x",
            "--><!--&amp;",
        ]
        .map { text in text.map { "<>\"'&-!/".contains($0) ? "\(joining)\($0)\(joining)" : String($0) }.joined() }
    }

    /// Returns the number of each markup byte in the page.
    private static func markup(_ page: TestBrowser.Answer) -> [Int] {
        "<>\"'".utf8.map { mark in page.body.utf8.count { $0 == mark } }
    }

    private static func escaped(_ text: String) -> String {
        var html: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): html += "&lt;".utf8
            case UInt8(ascii: ">"): html += "&gt;".utf8
            case UInt8(ascii: "&"): html += "&amp;".utf8
            case UInt8(ascii: "\""): html += "&quot;".utf8
            case UInt8(ascii: "'"): html += "&#39;".utf8
            default: html.append(byte)
            }
        }
        return String(decoding: html, as: UTF8.self)
    }

    /// Whether the page contains the bytes of the text.
    private static func shows(_ page: TestBrowser.Answer, _ text: String) -> Bool {
        Array(page.body.utf8).firstRange(of: Array(escaped(text).utf8)) != nil
    }

    @Test("CWE-79, CWE-601: the state of a form_post is a value of the form, not a redirect of the page")
    func formPost() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            func page(_ state: String) async throws -> TestBrowser.Answer {
                try await TestBrowser(platform).get(
                    request.url(changing: ["response_mode": "form_post", "prompt": "none", "state": state]))
            }
            let harmless = Self.markup(try await page("x"))
            for joining in Self.joining {
                for state in Self.hostile(joining) {
                    let answer = try await page(state)
                    #expect(answer.status == 200 && Self.markup(answer) == harmless, "\(state.debugDescription)")
                    #expect(Self.shows(answer, state), "\(state.debugDescription)")
                }
            }
        }
    }

    @Test("CWE-79: a tenant's and an application's name, and a rejected redirect URI, are text on statements, prices and notices")
    func names() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let application = "/tenants/acme/applications/\(request.application.client_id)"
            func pages(_ name: String) async throws -> [TestBrowser.Answer] {
                #expect(try await platform.change("PATCH", "/tenants/acme", of: "/tenants/acme", ["name": name]).status == 200)
                #expect(try await platform.change("PATCH", application, of: application, ["name": name]).status == 200)
                let mismatch = request.url(changing: ["redirect_uri": "https://evil.test/\(name)"])
                return [
                    try await platform.call("GET", "/tenants/acme/statements/upcoming/page"),
                    try await platform.call("GET", "/pricing/estimate/page?logins=5&tenant=acme"),
                    try await TestBrowser(platform).get(mismatch),
                ]
            }
            let harmless = try await pages("Harmless").map(Self.markup)
            for joining in Self.joining {
                for name in Self.hostile(joining) {
                    let answers = try await pages(name)
                    #expect(answers.map(\.status) == [200, 200, 400], "\(name.debugDescription)")
                    #expect(answers.map(Self.markup) == harmless, "\(name.debugDescription)")
                    for answer in answers { #expect(Self.shows(answer, name), "\(name.debugDescription)") }
                }
            }
        }
    }

    @Test("ASVS 3.4.3: every page contains its policy, because a saved file has no header")
    func policies() async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            let request = TestBrowser.Request(platform.acme)
            let browser = TestBrowser(platform)
            for page in [
                try await browser.get(request.url(changing: ["client_id": nil])),
                try await browser.get(request.url(changing: ["response_mode": "form_post", "prompt": "none"])),
                try await browser.get("\(TestPlatform.publicURL)/pricing?logins=5"),
                try await platform.call("GET", "/tenants/acme/statements/upcoming/page"),
                try await platform.call("GET", "/pricing/estimate/page?logins=5"),
                try await browser.get("\(TestPlatform.publicURL)/nothing", headers: [("Accept", "text/html")]),
            ] {
                let policy = try #require(page.header("Content-Security-Policy"))
                // `frame-ancestors` has no meaning there, and a browser warns about it.
                let own = policy.replacing("; frame-ancestors 'none'", with: "")
                #expect(policy.hasPrefix("default-src 'none'; ") && own != policy)
                let meta = "<meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.escaped(own))\">"
                let head = try #require(page.body.components(separatedBy: "<style>").first)
                #expect(head.contains(meta), "\(page.body.prefix(400))")
            }
        }
    }
}
