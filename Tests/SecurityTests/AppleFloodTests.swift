import Crypto
import NIOHTTP1
import Server
import TestSupport
import Testing

/// Espalier calls Apple only for a person who has signed in there (RFC 6819, sections 4.4.1.11 and 4.4.1.12).
@Suite("Attack: making the server call Apple")
struct AppleFloodTests {
    /// An attempt whose person is at Apple: the form that Apple would post, the browser, and its cookies.
    private static func atLastStep(
        _ platform: TestPlatform, _ request: TestBrowser.Request
    ) async throws -> (browser: TestBrowser, form: TestBrowser.AppleForm, cookies: [String: String]) {
        let browser = TestBrowser(platform)
        let form = try await browser.atApple(try await browser.authorize(request), person: "new")
        return (browser, form, browser.cookies)
    }

    /// Posts the form with other fields, any number of times, because the cookie is restored.
    private static func post(
        _ form: TestBrowser.AppleForm, code: String, idToken: String?, _ browser: TestBrowser, _ cookies: [String: String]
    ) async throws -> TestBrowser.Answer {
        browser.cookies = cookies
        var hostile = form
        (hostile["code"], hostile["id_token"]) = (code, idToken)
        return try await browser.callback(hostile)
    }

    @Test("RFC 6819, 4.4.1.12: forty posts with one state and invented codes make no call to Apple's token endpoint")
    func madeUpCodes() async throws {
        try await AppleProxy.run { platform, apple in
            let request = TestBrowser.Request(platform.acme)
            let (browser, form, cookies) = try await Self.atLastStep(platform, request)
            let real = try #require(form["id_token"])
            var token = ForgedToken(real)
            var forged: [String?] = [nil, "", "x", "..", real + "A", String(real.dropLast(8)), String(real.reversed())]
            forged.append(try token.signed(by: P256.Signing.PrivateKey()))
            token.header["alg"] = "none"
            forged.append(try "\(token.input).")
            // Each has another key ID, so each would require a fetch of Apple's keys.
            for number in 0..<31 {
                (token.header["alg"], token.header["kid"]) = ("RS256", "made-up-\(number)")
                forged.append(try "\(token.input).\(token.signature)")
            }
            #expect(forged.count == 40)
            for (number, idToken) in forged.enumerated() {
                let answer = try await Self.post(form, code: "made-up-\(number)", idToken: idToken, browser, cookies)
                #expect(answer.givesApplicationNoCode)
            }
            #expect(apple.calls("/auth/token") == 0)
            // The budget, and one more per 10 s.
            #expect(apple.calls("/auth/keys") < 20)
            #expect(try await platform.count("tenant_user") == 0)
            #expect(try await Self.post(form, code: form["code"] ?? "", idToken: real, browser, cookies)["code"] != nil)
            #expect(apple.calls("/auth/token") == 1)
        }
    }

    @Test("RFC 6819, 4.4.1.12: a real id_token of another attempt, of another browser or of the same one, makes no call")
    func otherAttempt() async throws {
        try await AppleProxy.run { platform, apple in
            let request = TestBrowser.Request(platform.acme)
            let (browser, form, cookies) = try await Self.atLastStep(platform, request)
            let other = try await Self.atLastStep(platform, request)
            let globex = try await Self.atLastStep(platform, .init(platform.globex))
            let second = try await browser.atApple(try await browser.authorize(request), person: "new")
            for (number, stolen) in [other.form, globex.form, second].enumerated() {
                for code in [stolen["code"] ?? "", "made-up-\(number)"] {
                    let answer = try await Self.post(form, code: code, idToken: stolen["id_token"], browser, cookies)
                    #expect(answer.givesApplicationNoCode)
                }
            }
            #expect(apple.calls("/auth/token") == 0)
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("RFC 6819, 4.4.1.12: a person who signed in at Apple gets a few attempts for this sign-in, and others have their own")
    func tries() async throws {
        try await AppleProxy.run { platform, apple in
            let request = TestBrowser.Request(platform.acme)
            let (browser, form, cookies) = try await Self.atLastStep(platform, request)
            for number in 0..<40 {
                let answer = try await Self.post(form, code: "made-up-\(number)", idToken: form["id_token"], browser, cookies)
                #expect(answer.givesApplicationNoCode)
            }
            // Five, and one more per minute.
            #expect((5...10).contains(apple.calls("/auth/token")))
            let other = try await Self.atLastStep(platform, request)
            #expect(try await other.browser.callback(other.form)["code"] != nil)
        }
    }

    @Test("RFC 6819, 4.6.1: a code of 60 kB is not sent to Apple, even from a person who signed in there")
    func longCode() async throws {
        try await AppleProxy.run { platform, apple in
            let request = TestBrowser.Request(platform.acme)
            let (browser, form, cookies) = try await Self.atLastStep(platform, request)
            for length in [2049, 60_000] {
                let code = String(repeating: "c", count: length)
                let answer = try await Self.post(form, code: code, idToken: form["id_token"], browser, cookies)
                #expect(answer.givesApplicationNoCode)
            }
            #expect(apple.calls("/auth/token") == 0)
        }
    }
}
