import Access
import Foundation
@testable import Tenancy
import Testing
import Web

@Suite("Development URI")
struct DevelopmentURITests {
    @Test(
        "these forms can be registered for development",
        arguments: [
            ("https://*.preview.example/callback", "https://*.preview.example"), ("https://*.a-1.example.com", "https://*.a-1.example.com"),
            ("https://*.preview.example:8443/cb?x=%20", "https://*.preview.example"),
            ("https://*.xn--bcher-kva.example?x", "https://*.xn--bcher-kva.example"),
            ("https://*.0.example/", "https://*.0.example"), ("https://*.acme.vercel.app/", "https://*.acme.vercel.app"),
            ("https://*.preview.example/*", "https://*.preview.example"), ("myapp:/callback", "myapp:"), ("myapp://callback", "myapp:"),
            ("my-app+2:callback?x=1", "my-app+2:"), ("zz:", "zz:"),
        ])
    func accepted(_ uri: String, _ name: String) {
        #expect(RedirectURI.refusal(of: uri) == nil)
        #expect(DevelopmentURI(uri)?.name == name)
    }

    @Test(
        "these URIs do not have a wildcard as the whole first label of a domain",
        arguments: [
            "https://*", "https://*/", "https://*.", "https://*.com", "https://*.com/callback", "https://*.localhost/",
            "https://*.example.",
            "https://*.example.com./", "https://*..example.com/", "https://**.example.com/", "https://*.*.example.com/",
            "https://*a.example.com/",
            "https://a*.example.com/", "https://a.*.example.com/", "https://*-a.example.com/", "https://*.-a.example.com/",
            "https://*.a-.example.com/", "https://*.Preview.example/", "https://*.preview.EXAMPLE/", "https://*.preview.example:/",
            "https://*.preview.example:123456/", "https://*.preview.example:port/", "https://*@preview.example/",
            "https://a@*.preview.example/",
            "https://*.preview.example@evil.example/", "https://*.preview.example#x", "https://*.preview.example\\x", "https://*.0.0.1/",
            "https://*.127.0.0.1/", "https://*.0x7f.1/", "https://*.[::1]/", "https://[*]/", "https://*%2eexample.com/",
            "https://*.a_b.example/",
            "http://*.preview.example/", "http://*.localhost/", "https://*.pré.example/", "https://*.a\u{0301}.example/",
            "https://*\u{0301}.preview.example/", "https://*.preview.example/\u{0600}", "https://*.preview\u{200D}.example/",
            "HTTPS://*.preview.example/", "https://*.\(String(repeating: "a", count: 64)).example/",
            "https://*.\([String](repeating: String(repeating: "a", count: 46), count: 4).joined(separator: ".")).ex/",
            // Anybody can register a name there.
            "https://*.vercel.app/", "https://*.github.io/callback", "https://*.a.run.app/cb", "https://*.uc.r.appspot.com/",
            "https://*.up.railway.app", "https://*.co.uk/",
            "https://*.com.au:8443/",
        ])
    func refusedWildcards(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) != nil)
    }

    @Test(
        "these schemes belong to browsers, systems or other programs, or are malformed",
        arguments: [
            "http:/x", "https:/x", "https:x", "javascript:alert(1)", "JavaScript:alert(1)", "javascript://x/%0aalert(1)",
            "data:text/html,x",
            "file:/etc/passwd", "about:blank", "blob:x", "mailto:a", "tel:1", "sms:1", "ws://a", "wss://a", "ftp://a", "intent:x",
            "view-source:x",
            "chrome:x", "vbscript:x", "filesystem:x", "web+shop:x", "ext+shop:x", "itms-apps:x", "x-apple-pay:x", "ms-settings:x",
            "search-ms:x", "facetime:x", "openid4vp:x", "localhost:3000/callback", "c:/callback", "MyApp:/callback", "1app:/x", "my_app:/x",
            "-app:/x", "app", ":", "://x", "myapp:/#x", "myapp:/<x>", "myapp:/%2", "my\u{0301}app:/x", "myapp\u{200D}:/x", "myapp:\u{0600}",
            "m\u{212A}app:/x", "myapp:/x\n", " myapp:/x", "\(String(repeating: "a", count: 65)):/x",
        ])
    func refusedSchemes(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) != nil)
    }

    @Test("a refusal names the reason and the next step")
    func reasons() {
        for (uri, text) in [
            ("https://*.example/", "https://*.preview.example.com/callback"), ("https://*.vercel.app/", "anybody can register"),
            ("mailto:a", "Use a name of your own"), ("MyApp:/x", "2 to 64 lower-case letters"), ("/callback", "is not an absolute URI"),
            ("https://*.preview.example/#x", "fragment"),
        ] {
            #expect(RedirectURI.refusal(of: uri)?.contains(text) == true, "\(uri): \(RedirectURI.refusal(of: uri) ?? "")")
        }
    }

    @Test("other forms are not for development")
    func others() {
        for uri in [
            "https://app.example.com/", "https://app.example.com/*", "http://localhost:3000/", "http://127.0.0.1/", "com.example.app:/x",
            "",
            "/a:b",
        ] {
            #expect(DevelopmentURI(uri) == nil, "\(uri)")
        }
    }

    // MARK: Comparison

    private static func application(_ uris: [String], kind: Application.Kind = .spa, allows: Bool = true) -> Application {
        var application = Application(ID(at: .now), kind: kind, name: "Shop", redirectURIs: uris, at: .now)
        application.logoutURIs = uris
        application.allowsDevelopmentURIs = allows
        return application
    }

    @Test(
        "a wildcard matches one label in lower case, and nothing else changes",
        arguments: ["a", "feature-12", "0", "xn--bcher-kva", "a--b", String(repeating: "a", count: 63)])
    func matched(_ label: String) {
        let application = Self.application(["https://*.preview.example:8443/cb?x=1"])
        let uri = "https://\(label).preview.example:8443/cb?x=1"
        #expect(application.mayRedirect(to: uri) && application.mayReturnAfterLogout(to: uri))
        // The requested URI could also be registered.
        #expect(RedirectURI.refusal(of: uri) == nil)
        #expect(!Self.application(application.redirectURIs, allows: false).mayRedirect(to: uri))
    }

    @Test(
        "a wildcard matches no other host, port, path or spelling",
        arguments: [
            "https://*.preview.example:8443/cb?x=1", "https://preview.example:8443/cb?x=1", "https://.preview.example:8443/cb?x=1",
            "https://a.b.preview.example:8443/cb?x=1", "https://a..preview.example:8443/cb?x=1", "https://a.preview.example.:8443/cb?x=1",
            "https://A.preview.example:8443/cb?x=1", "https://a.Preview.example:8443/cb?x=1", "HTTPS://a.preview.example:8443/cb?x=1",
            "http://a.preview.example:8443/cb?x=1", "https://a.preview.example/cb?x=1", "https://a.preview.example:443/cb?x=1",
            "https://a.preview.example:08443/cb?x=1", "https://a.preview.example:8443/cb", "https://a.preview.example:8443/cb?x=1&y",
            "https://a.preview.example:8443/cb/?x=1", "https://a.preview.example:8443/cb?x=1#", "https://-a.preview.example:8443/cb?x=1",
            "https://a-.preview.example:8443/cb?x=1", "https://-.preview.example:8443/cb?x=1", "https://a_b.preview.example:8443/cb?x=1",
            "https://\(String(repeating: "a", count: 64)).preview.example:8443/cb?x=1", "https://a@.preview.example:8443/cb?x=1",
            "https://a@b.preview.example:8443/cb?x=1", "https://a:b@c.preview.example:8443/cb?x=1",
            "https://evil.example/.preview.example:8443/cb?x=1", "https://evil.example?.preview.example:8443/cb?x=1",
            "https://evil.example#.preview.example:8443/cb?x=1", "https://evil.example\\.preview.example:8443/cb?x=1",
            "https://evil.example:1.preview.example:8443/cb?x=1", "https://a%2e.preview.example:8443/cb?x=1",
            "https://a%2eb.preview.example:8443/cb?x=1", "https://a%2epreview.example:8443/cb?x=1",
            "https://[::1].preview.example:8443/cb?x=1",
            "https://[::1]:8443/cb?x=1", "https:/a.preview.example:8443/cb?x=1", "https:///a.preview.example:8443/cb?x=1",
            "https:\\\\a.preview.example:8443/cb?x=1", "https://a .preview.example:8443/cb?x=1", "https://a\t.preview.example:8443/cb?x=1",
            "https://a\n.preview.example:8443/cb?x=1", " https://a.preview.example:8443/cb?x=1", "https://a.preview.example:8443/cb?x=1\n",
            "https://a\u{0600}.preview.example:8443/cb?x=1", "https://\u{0600}a.preview.example:8443/cb?x=1",
            "https://a\u{0301}.preview.example:8443/cb?x=1", "https://a.\u{0301}preview.example:8443/cb?x=1",
            "https://a\u{200D}.preview.example:8443/cb?x=1", "https://\u{200D}.preview.example:8443/cb?x=1",
            "https://\u{212A}.preview.example:8443/cb?x=1", "https://é.preview.example:8443/cb?x=1",
            "https://a。preview.example:8443/cb?x=1",
            "https://a.preview.example:8443/cb?x=1\u{0301}", "https://a.preview.example.evil.example:8443/cb?x=1",
            "https://apreview.example:8443/cb?x=1", "https://a.preview.example:8443\\@evil.example/cb?x=1",
            "https://a\0.preview.example:8443/cb?x=1",
            "", "https://", "https://a",
        ])
    func unmatched(_ uri: String) {
        let application = Self.application(["https://*.preview.example:8443/cb?x=1"])
        #expect(!application.mayRedirect(to: uri))
        #expect(!application.mayReturnAfterLogout(to: uri))
    }

    @Test("localhost has a free port only for development, and path and query stay exact")
    func localhost() {
        let uris = ["http://localhost:3000/cb?x=1"]
        let (development, live) = (Self.application(uris), Self.application(uris, allows: false))
        for (uri, isAlsoLive) in [
            ("http://localhost:3000/cb?x=1", true), ("http://localhost:5173/cb?x=1", false), ("http://localhost/cb?x=1", false),
            ("http://localhost:65535/cb?x=1", false),
        ] {
            #expect(development.mayRedirect(to: uri))
            #expect(live.mayRedirect(to: uri) == isAlsoLive)
            #expect(live.lacksDevelopmentURIs(for: uri, in: live.redirectURIs))
            #expect(!development.lacksDevelopmentURIs(for: uri, in: uris))
        }
        for uri in [
            "http://localhost:0/cb?x=1", "http://localhost:65536/cb?x=1", "http://localhost:5173/cb", "http://localhost:5173/CB?x=1",
            "http://127.0.0.1:5173/cb?x=1", "https://localhost:5173/cb?x=1", "http://localhost.evil.example:5173/cb?x=1",
            "http://LOCALHOST:5173/cb?x=1", "http://a@localhost:5173/cb?x=1", "http://localhost:5173@evil.example/cb?x=1",
            "http://localhost.:5173/cb?x=1", "http://localhost:5173/cb?x=1#", "http://localhost\u{0301}:5173/cb?x=1",
            "http://l\u{0600}ocalhost/cb?x=1", "http://a.localhost:1/cb?x=1", "http://localhost:+1/cb?x=1",
        ] {
            #expect(!development.mayRedirect(to: uri), "\(uri)")
            #expect(!live.lacksDevelopmentURIs(for: uri, in: live.redirectURIs), "\(uri)")
        }
    }

    @Test("a scheme of one label is compared byte by byte")
    func shortScheme() {
        let application = Self.application(["myapp:/callback"], kind: .native)
        #expect(application.mayRedirect(to: "myapp:/callback"))
        for uri in [
            "myapp:/callback/", "MYAPP:/callback", "myapp://callback", "myapp:/callbac\u{212A}", "myapp:/callback\u{0301}", "myapp:",
        ] {
            #expect(!application.mayRedirect(to: uri), "\(uri)")
        }
    }

    @Test("the fields that an application without the setting cannot have are named")
    func misfits() {
        let uris = ["https://a.example/", "https://*.preview.example/cb", "http://localhost:3000/"]
        let live = Self.application(uris, allows: false)
        #expect(live.misfits.map(\.field) == ["redirect_uris[1]", "logout_uris[1]"])
        #expect(live.misfits.allSatisfy { $0.detail.contains("`https://*.preview.example`") && $0.detail.contains("--development-uris") })
        #expect(Self.application(uris).misfits.isEmpty)
        let schemes = ["com.example.app:/cb", "myapp:/cb"]
        #expect(Self.application(schemes, kind: .native, allows: false).misfits.map(\.field) == ["redirect_uris[1]", "logout_uris[1]"])
        #expect(Self.application(schemes, kind: .native).misfits.isEmpty)
        // No setting gives a page a scheme.
        #expect(
            Self.application(schemes).misfits.map(\.field) == ["redirect_uris[0]", "redirect_uris[1]", "logout_uris[0]", "logout_uris[1]"])
    }
}
