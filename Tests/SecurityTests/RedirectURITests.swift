import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// No redirect leads elsewhere (RFC 9700, sections 4.1 and 4.11; RFC 6819, sections 4.1.5 and 4.2.4; ASVS 10.4.1).
@Suite("Attack: redirect URI tricks")
struct RedirectURITests {
    /// The registered URI is `https://app.test/callback`, and for the public application `http://127.0.0.1/callback`.
    static let tricks = [
        // Path.
        "https://app.test/callback/", "https://app.test/callback/../steal", "https://app.test/callback/..;/steal",
        "https://app.test//callback", "https://app.test/callback%2F..%2Fsteal", "https://app.test/", "https://app.test",
        "https://app.test/callback?next=//evil.test", "https://app.test/callback?", "https://app.test/callback;x",
        // Port and scheme.
        "https://app.test:443/callback", "https://app.test:8443/callback", "http://app.test/callback", "HTTPS://app.test/callback",
        "javascript://app.test/callback", "data:text/html,x", "//app.test/callback",
        // Host.
        "https://APP.test/callback", "https://app.test.evil.test/callback", "https://app.test./callback",
        "https://evil.test/app.test/callback",
        "https://evilapp.test/callback", "https://xn--pp-8ka.test/callback", "https://аpp.test/callback",
        "https://app.test%2eevil.test/callback",
        "https://app.test\\.evil.test/callback", "https://app.test%00.evil.test/callback", "https://app.test\0.evil.test/callback",
        // User information.
        "https://app.test@evil.test/callback", "https://app.test:x@evil.test/callback", "https://evil.test#@app.test/callback",
        "https://evil.test\\@app.test/callback", "https://user@app.test/callback",
        // Fragment.
        "https://app.test/callback#", "https://app.test/callback#code=", "https://app.test/callback%23",
        // Encoding.
        "https://app.test/%63allback", "https://app.test/c%61llback", "https://app.test/callbac\u{212A}", "https://app.test/Callback",
        " https://app.test/callback", "https://app.test/callback ", "https://app.test/callback\t", "https://app.test/callback\r\nX: y",
        "https://app.test/call\u{200B}back", "*", "https://*.test/callback", "https%3A%2F%2Fapp.test%2Fcallback",
        // Loopback, which only an application with a registered loopback URI has, and only with any port.
        "http://localhost/callback", "http://127.0.0.1:80@evil.test/callback", "http://127.0.0.1.evil.test/callback",
        "http://127.0.0.2/callback", "http://0x7f.1/callback", "http://2130706433/callback", "http://[::1]/callback",
        "http://127.0.0.1:4711/callback/", "http://127.0.0.1:4711/Callback", "http://127.0.0.1:99999/callback",
        "https://127.0.0.1/callback", "http://127.0.0.1:4711/callback#x",
    ]

    @Test("RFC 9700, 4.1.3: a URI that is not registered exactly gets a page that leads nowhere", arguments: [0, 1])
    func notRegistered(application: Int) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: application)
            for uri in Self.tricks {
                for path in ["\(platform.acme.issuer)/oauth2/authorize", "\(TestPlatform.publicURL)/auth/apple/authorize"] {
                    var parameters = request.parameters.filter { $0.0 != "redirect_uri" }
                    parameters.append(("redirect_uri", uri))
                    let answer = try await TestBrowser(platform).get(TestBrowser.Request.url(path, parameters))
                    #expect(answer.leadsNowhere, "\(uri.debugDescription): \(answer.status) \(answer.location ?? "")")
                    // It is shown as text, without a letter that looks like another.
                    #expect(answer.body.utf8.allSatisfy { $0 < 0x80 }, "\(uri)")
                    for markup in ["href", "src=", "action=", "http-equiv=\"refresh\"", "<form", "<script"] {
                        #expect(!answer.body.contains(markup), "\(uri): \(markup)")
                    }
                }
            }
        }
    }

    @Test("RFC 9700, 4.11.2: while the client or the redirect URI is invalid, an error also leads nowhere")
    func openRedirector() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let wrong: [KeyValuePairs<String, String?>] = [
                ["redirect_uri": "https://evil.test/", "response_type": "token"], ["redirect_uri": "https://evil.test/", "prompt": "none"],
                ["redirect_uri": "https://evil.test/", "client_id": nil], ["client_id": "app_00000000000000000000000000"],
                ["client_id": nil], ["redirect_uri": nil], ["redirect_uri": ""],
                // Another tenant's client, with its own redirect URI.
                ["client_id": platform.globex.applications[0].client_id],
            ]
            for changes in wrong {
                let answer = try await TestBrowser(platform).get(request.url(changing: changes))
                #expect(answer.leadsNowhere, "\(changes): \(answer.location ?? "")")
            }
        }
    }

    @Test("RFC 6749, 3.1: none is chosen from two redirect URIs, even if one has another spelling of the name")
    func twice() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            for name in ["redirect_uri", "%72edirect_uri", "redirect%5Furi"] {
                for evil in ["https%3A%2F%2Fevil.test%2F", ""] {
                    let before = request.authorizeURL.replacing("?", with: "?\(name)=\(evil)&", maxReplacements: 1)
                    for url in [before, "\(request.authorizeURL)&\(name)=\(evil)"] {
                        let answer = try await TestBrowser(platform).get(url)
                        #expect(answer.leadsNowhere, "\(url)")
                    }
                }
            }
        }
    }

    @Test("RFC 6819, 5.2.3.5: a redirect URI removed while a person is at Apple is not used")
    func withdrawn() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let application = "/tenants/acme/applications/\(request.application.client_id)"
            let changed = try await platform.change(
                "PATCH", application, of: application, ["redirect_uris": ["https://app.test/elsewhere"]])
            #expect(changed.status == 200)
            try await eventually(
                "the server has the change", isSo: { try await TestBrowser(platform).authorize(request).leadsNowhere })
            #expect(try await browser.callback(form).leadsNowhere)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }
}
