import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import Web

@testable import Pages

/// The language, the look of the tenant and the policy around the content of a page.
@Suite("Page frame")
struct PageFrameTests {
    private static let notice = NoticePage(
        title: .youAreSignedOut, detail: .noWayBackToTheAddress, remedy: [.returnToTheApplication],
        values: [.parameter: "\"><script>\u{202E}"], facts: [.init(.application, "Acme <b>")])

    private static func page(
        _ notice: NoticePage = notice, path: String = "/", accepting language: String? = nil, brand: Brand? = nil
    ) async throws -> (headers: HTTPFields, body: String) {
        try await read(notice.response(.badRequest, in: frame(path: path, accepting: language, brand: brand)))
    }

    private static func frame(path: String = "/", accepting language: String? = nil, brand: Brand? = nil) -> PageFrame {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        head.headerFields[.acceptLanguage] = language
        return PageFrame(Request(head: head, body: RequestBody(buffer: ByteBuffer())), brand, requestID: "req_1")
    }

    private static func read(_ response: Response) async throws -> (headers: HTTPFields, body: String) {
        let body = Body()
        try await response.body.write(body)
        return (response.headers, await body.text.value)
    }

    private struct Body: ResponseBodyWriter {
        actor Text {
            var value = ""
            func add(_ more: String) { value += more }
        }
        let text = Text()

        func write(_ buffer: ByteBuffer) async throws { await text.add(String(buffer: buffer)) }
        func finish(_ trailers: HTTPFields?) async throws {}
    }

    @Test("a page names its language and direction, in the document and in the headers", arguments: Language.allCases)
    func language(_ language: Language) async throws {
        let page = try await Self.page(accepting: language.rawValue)
        let direction = language == .arabic || language == .hebrew ? "rtl" : "ltr"
        #expect(page.body.contains("<html lang=\"\(language.rawValue)\" dir=\"\(direction)\">"))
        #expect(page.body.contains("<h1>\(language.text(.youAreSignedOut).escapedForHTML)</h1>"))
        #expect(page.headers[values: .init("Content-Language")!] == [language.rawValue])
        #expect(page.headers[values: .vary] == ["Accept-Language"])
        // The address names the language, so all browsers get the same page.
        let asked = try await Self.page(path: "/?ui_locales=\(language.rawValue)", accepting: "fr")
        #expect(asked.headers[values: .init("Content-Language")!] == [language.rawValue])
        #expect(asked.headers[values: .vary].isEmpty)
    }

    @Test("values stand apart from the text around them, escaped, and the request ID is the reference")
    func values() async throws {
        let page = try await Self.page(accepting: "ar")
        #expect(page.body.contains("<bdi>&quot;&gt;&lt;script&gt;\u{202E}</bdi>"))
        #expect(page.body.contains("<dd><bdi>Acme &lt;b&gt;</bdi></dd>"))
        #expect(page.body.contains("<bdi>req_1</bdi>"))
        #expect(!page.body.contains("<script") && !page.body.contains("{{"))
    }

    @Test("a page without a brand has no header, no footer and no link")
    func plain() async throws {
        let page = try await Self.page()
        for part in ["<header", "<footer", "<img", "<a ", "href"] { #expect(!page.body.contains(part), "\(part)") }
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("script-src"))
    }

    @Test("a brand has its name or logo, its links, and its color with a text that can be read")
    func brand() async throws {
        var brand = Brand(
            name: "Ärzte & Söhne", color: Color(red: 255, green: 221, blue: 0), supportURL: "mailto:help@acme.test?subject=a&b",
            privacyURL: "https://acme.test/privacy")
        let page = try await Self.page(accepting: "de", brand: brand)
        #expect(page.body.contains("<p><bdi>Ärzte &amp; Söhne</bdi></p>") && !page.body.contains("<img"))
        #expect(page.body.contains("<a href=\"mailto:help@acme.test?subject=a&amp;b\">\(Language.german.text(.getHelp))</a>"))
        #expect(page.body.contains("<a href=\"https://acme.test/privacy\">\(Language.german.text(.privacy))</a>"))
        #expect(!page.body.contains(Language.german.text(.terms)))
        #expect(page.body.contains("--accent: #ffdd00; --on-accent: #000000"))
        // Each stylesheet has its hash in the policy.
        let policy = try #require(page.headers[.contentSecurityPolicy])
        for style in page.body.matches(of: /<style>([^<]*)<\/style>/) {
            #expect(policy.contains(PagePolicy.source(ofInline: String(style.1))))
        }
        #expect(page.body.matches(of: /<style>/).count == 2 && !policy.contains("unsafe"))
        brand.logo = "/t/acme/logo/3f"
        let shown = try await Self.page(brand: brand)
        #expect(shown.body.contains("<img src=\"/t/acme/logo/3f\" alt=\"Ärzte &amp; Söhne\">"))
        #expect(shown.headers[.contentSecurityPolicy]?.contains("img-src 'self'") == true)
    }

    @Test("a page runs its one script, unchanged and by its hash, and no other")
    func script() async throws {
        let script = "\"use strict\";\nif (1 < 2 && 2 > 1) document.title = `${'é'}`;"
        let template = HTMLTemplate.framed("<h1>{{title}}</h1>", script: script)
        let page = try await Self.read(Self.frame().response(template, ["title": "<script>"], script: script))
        #expect(page.body.contains("</main>\n<script>\(script)</script>\n") && page.body.matches(of: /<script/).count == 1)
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("script-src \(PagePolicy.source(ofInline: script));") && !policy.contains("unsafe"))
        // Without its hash, the browser does not run it.
        let unnamed = try await Self.read(Self.frame().response(template, ["title": ""]))
        #expect(unnamed.headers[.contentSecurityPolicy]?.contains("script-src") == false)
    }

    @Test("a page leads back to the application where it has the address of its sign-in")
    func back() async throws {
        var notice = Self.notice
        notice.loginURL = "https://app.test/login?a=1&b=2"
        let page = try await Self.page(notice, accepting: "fr")
        let label = Language.french.text(.backToTheApplication).escapedForHTML
        #expect(page.body.contains("<a class=\"button\" href=\"https://app.test/login?a=1&amp;b=2\">\(label)</a>"))
    }
}
