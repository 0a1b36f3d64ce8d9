import NIOHTTP1
import Server
import TestSupport
import Testing

/// A login ends in the browser that started it (RFC 9700, sections 2.1 and 4.7; RFC 6819, section 4.4.1.8; ASVS
/// 10.2.1).
@Suite("Attack: another browser's login")
struct BrowserBindingTests {
    /// A login before its last step: Apple's form, and its browser.
    private static func atLastStep(
        _ platform: TestPlatform
    ) async throws -> (browser: TestBrowser, request: TestBrowser.Request, form: TestBrowser.AppleForm) {
        let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
        return (browser, request, try await browser.atApple(try await browser.authorize(request), person: "new"))
    }

    @Test("RFC 6819, 4.4.1.8: login CSRF: the attacker's response from Apple, posted by the victim's browser, signs nobody in")
    func loginCSRF() async throws {
        try await TestPlatform.run { platform in
            let attacker = try await Self.atLastStep(platform)
            // Whether it is a new browser, or about to sign in itself.
            let victim = try await Self.atLastStep(platform)
            for browser in [TestBrowser(platform), victim.browser] {
                #expect(try await browser.callback(attacker.form).leadsNowhere)
            }
            #expect(try await platform.count("tenant_user") == 0)
            #expect(try await attacker.browser.callback(attacker.form)["code"] != nil)
        }
    }

    @Test("RFC 9700, 4.7: session fixation: a victim who follows the attacker's link does not finish the attacker's attempt")
    func fixation() async throws {
        try await TestPlatform.run { platform in
            let (attacker, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await attacker.authorize(request)
            // The victim gets the link to Apple with the attacker's state, and signs in there.
            let victim = TestBrowser(platform)
            let form = try await victim.atApple(toApple, person: "Grace Hopper")
            #expect(try await victim.callback(form).leadsNowhere)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("RFC 9700, 4.7: the state of one attempt is rejected with the cookie of another, in one browser or in two")
    func otherState() async throws {
        try await TestPlatform.run { platform in
            let (first, second) = (try await Self.atLastStep(platform), try await Self.atLastStep(platform))
            var swapped = first.form
            swapped["state"] = second.form["state"]
            #expect(try await first.browser.callback(swapped).leadsNowhere)
            // Among others without its own cookie: two tabs, one of which was closed long ago.
            let tabs = TestBrowser(platform)
            tabs.cookies = second.browser.cookies
            #expect(try await tabs.callback(first.form).leadsNowhere)
            // The name of one cookie with the secret of the other.
            let (name, secret) = (try #require(first.browser.cookies.keys.first), try #require(second.browser.cookies.values.first))
            tabs.cookies = [name: secret]
            #expect(try await tabs.callback(first.form).leadsNowhere)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("RFC 6265, 8.6: cookie tossing: a cookie planted by a sibling domain has no prefix and is ignored")
    func cookieTossing() async throws {
        try await TestPlatform.run { platform in
            let attacker = try await Self.atLastStep(platform)
            let (name, secret) = (try #require(attacker.browser.cookies.keys.first), try #require(attacker.browser.cookies.values.first))
            // Browsers let only this exact host set `__Host-`, over TLS, for every path.
            #expect(name.hasPrefix("__Host-"))
            let victim = TestBrowser(platform)
            for planted in [String(name.dropFirst("__Host-".count)), name.lowercased(), " \(name)x", "__Secure-" + name.dropFirst(7)] {
                let answer = try await victim.post(
                    attacker.form.action, form: attacker.form.fields, headers: [("Cookie", "\(planted)=\(secret)")])
                #expect(answer.leadsNowhere, "\(planted)")
            }
            // It is also ignored inside another cookie's value, and after a character that some parsers read as its
            // end.
            for header in ["a=\(name)=\(secret)", "a=\"; \(name)=\(secret)\"", "a=b, \(name)=\(secret)", "\(name) =\(secret)", "\(name)"] {
                let answer = try await victim.post(attacker.form.action, form: attacker.form.fields, headers: [("Cookie", header)])
                #expect(answer.leadsNowhere, "\(header)")
            }
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("RFC 6265, 8.6: cookie bombing: cookies from a sibling domain block no login: joined separators, the same name, long values")
    func cookieBlocking() async throws {
        try await TestPlatform.run { platform in
            for joiner in ["\u{600}", "\u{301}", "\u{200D}"] {
                for planted in [
                    "x=\(joiner)", "x\(joiner)=\(joiner)1", "\(joiner)=1", "\(joiner)", "x=1;\(joiner)", "__Host-espalier-=\(joiner)",
                ] {
                    let (browser, _, form) = try await Self.atLastStep(platform)
                    let (name, secret) = (try #require(browser.cookies.keys.first), try #require(browser.cookies.values.first))
                    browser.cookies = [:]
                    let cookies = "\(planted); \(name)=\(joiner)\(secret); \(name)=\(secret);\(joiner)y=2"
                    let answer = try await browser.post(form.action, form: form.fields, headers: [("Cookie", cookies)])
                    #expect(answer["code"] != nil, "\(planted.unicodeScalars.map(\.value))")
                }
            }
        }
    }

    @Test("ASVS 3.3.1 to 3.3.4: the cookie is Secure, HttpOnly, for this host only, short-lived, new each time, and removed at the end")
    func cookie() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await browser.authorize(request)
            let attributes = try #require(toApple.headers["Set-Cookie"].first).split(separator: "; ").dropFirst().map(String.init)
            #expect(Set(attributes).isSuperset(of: ["Secure", "HttpOnly", "Path=/", "SameSite=None"]))
            #expect(!attributes.contains { $0.lowercased().hasPrefix("domain") })
            #expect(attributes.contains("Max-Age=900"))
            // The cookie of the request is not reused, because the attacker might know it.
            let before = browser.cookies
            let second = try await browser.authorize(request)
            #expect(browser.cookies.count == 2 && Set(browser.cookies.values).count == 2)
            #expect(before.allSatisfy { browser.cookies[$0] == $1 })
            _ = try await browser.callback(try await browser.atApple(second, person: "new"))
            _ = try await browser.callback(try await browser.atApple(toApple, person: "new"))
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("Fetch Metadata, 2: an image, a script or a frame of any page starts no sign-in and sets no cookie; a top-level navigation does")
    func embedded() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let byClient = TestBrowser.Request.url("\(TestPlatform.publicURL)/auth/apple/authorize", request.parameters)
            func authorize(_ mode: String?, _ destination: String?) async throws -> [(TestBrowser.Answer, TestBrowser)] {
                let headers = [("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
                    .compactMap { name, value in value.map { (name, $0) } }
                let (get, post, client) = (TestBrowser(platform), TestBrowser(platform), TestBrowser(platform))
                return [
                    (try await get.get(request.authorizeURL, headers: headers), get),
                    (try await post.post("\(platform.acme.issuer)/oauth2/authorize", form: request.parameters, headers: headers), post),
                    (try await client.get(byClient, headers: headers), client),
                ]
            }
            for (mode, destination) in [
                ("no-cors", "image"), ("no-cors", "script"), ("no-cors", "empty"), ("cors", "empty"), ("same-origin", "empty"),
                ("navigate", "iframe"), ("navigate", "frame"), ("navigate", "object"), ("navigate", "embed"), (nil, "image"),
                (nil, ""), ("navigate", "Document"), ("navigate", "document\u{301}"),
            ] as [(String?, String?)] {
                for (answer, browser) in try await authorize(mode, destination) {
                    let what: Comment = "\(mode ?? "-") \(destination ?? "-")"
                    #expect(answer.status == 400 && answer.body.contains("This sign-in did not start"), what)
                    #expect(answer.headers["Set-Cookie"].isEmpty && browser.cookies.isEmpty, what)
                }
            }
            // Node's fetch sends the last one.
            let windows: [(String?, String?)] = [(nil, nil), ("navigate", "document"), (nil, "document"), ("cors", nil)]
            for (mode, destination) in windows {
                for (answer, browser) in try await authorize(mode, destination) {
                    #expect(answer.status == 302 && browser.cookies.count == 1, "\(mode ?? "-") \(destination ?? "-"): \(answer.status)")
                }
            }
            // A library uses a hidden frame to find out whether the user is signed in. The response goes to the application,
            // as before.
            let browser = TestBrowser(platform)
            let silent = try await browser.get(
                TestBrowser.Request.url("\(platform.acme.issuer)/oauth2/authorize", request.parameters + [("prompt", "none")]),
                headers: [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")])
            #expect(silent.status == 303 && silent["error"] == "login_required" && browser.cookies.isEmpty)
        }
    }

    @Test("RFC 9700, 4.5: Apple's code of one login, put into another's response, signs nobody in")
    func appleCodeInjected() async throws {
        try await TestPlatform.run { platform in
            let (victim, attacker) = (try await Self.atLastStep(platform), try await Self.atLastStep(platform))
            var injected = attacker.form
            injected["code"] = victim.form["code"]
            injected["id_token"] = victim.form["id_token"]
            injected["user"] = victim.form["user"]
            // Apple's token has the nonce of the victim's attempt.
            #expect(try await attacker.browser.callback(injected).givesApplicationNoCode)
            #expect(try await platform.count("session") == 0)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }
}
