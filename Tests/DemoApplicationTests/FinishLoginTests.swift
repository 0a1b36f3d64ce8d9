import Crypto
import Foundation
import Testing

@Suite("return from a sign-in")
struct FinishLoginTests {
    @Test("shows name, email, claims and usage, and never a whole token")
    func session() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let page = try await demo.signIn(in: browser)
            #expect(page.status == 200)
            #expect(page.text.contains("Ada Lovelace"))
            #expect(page.text.contains("ada@example.com"))
            #expect(page.text.contains("&quot;sub&quot;: &quot;user_1&quot;"))
            #expect(page.text.contains("<strong>3</strong> logins"))
            #expect(page.text.contains("access-tok…ijklmn"))
            #expect(!page.text.contains("access-token-that-is-opaque"))
            #expect(!page.text.contains(FakeProvider.refreshToken(0)))
            #expect(!page.text.contains(Demo.clientSecret))
        }
    }

    @Test("redeems the code with the verifier of the challenge and the application's secret")
    func redemption() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"]))
            #expect(page.status == 303)
            #expect(page.location == "/session")
            let state = demo.provider.current
            let form = try #require(state.tokenRequests.first)
            #expect(form["grant_type"] == "authorization_code")
            #expect(form["code"] == FakeProvider.code)
            #expect(form["redirect_uri"] == "https://demo.example/callback/acme")
            let digest = Data(SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))).base64EncodedString()
            #expect(
                asked["code_challenge"]
                    == digest.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
            let credentials = Data("acme-web:secret%2Bof%2Facme".utf8).base64EncodedString()
            #expect(state.authorizations.first == "Basic \(credentials)")
        }
    }

    @Test("a public application sends its client ID in the form instead")
    func publicApplication() async throws {
        try await withDemo(clientSecret: nil) { demo in
            _ = try await demo.signIn(in: demo.browser)
            let state = demo.provider.current
            #expect(state.tokenRequests.first?["client_id"] == "acme-web")
            #expect(state.authorizations.first == "")
        }
    }

    @Test("the session gets a new secret at sign-in, and the old one is invalid")
    func newSession() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            let before = browser.cookie
            _ = try await browser.get(demo.callback(state: asked["state"]))
            #expect(try await browser.get("/session").status == 200)
            #expect(try await Browser(port: demo.port, cookie: before).get("/session").location == "/")
        }
    }

    @Test("a response for another browser is rejected and its code not used")
    func otherBrowser() async throws {
        try await withDemo { demo in
            let asked = try await demo.begin(in: demo.browser)
            let stranger = demo.browser
            _ = try await demo.begin(in: stranger)
            let page = try await stranger.get(demo.callback(state: asked["state"]))
            #expect(page.status == 400)
            #expect(page.text.contains("This sign-in was not started here"))
            #expect(demo.provider.current.tokenRequests.isEmpty)
        }
    }

    @Test("the same response is rejected the second time")
    func replay() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            _ = try await browser.get(demo.callback(state: asked["state"]))
            let page = try await browser.get(demo.callback(state: asked["state"]))
            #expect(page.status == 400)
            #expect(demo.provider.current.tokenRequests.count == 1)
        }
    }

    @Test("a response from another issuer is rejected and its code not used")
    func otherIssuer() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"], issuer: "https://other.example"))
            #expect(page.status == 400)
            #expect(page.text.contains("The response came from another issuer"))
            #expect(demo.provider.current.tokenRequests.isEmpty)
        }
    }

    @Test("cancelling is not an error")
    func cancelled() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"], code: nil, error: "access_denied"))
            #expect(page.status == 200)
            #expect(page.text.contains("You cancelled"))
        }
    }

    @Test("another error is shown, escaped")
    func error() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"], code: nil, error: "%3Cb%3Eserver_error"))
            #expect(page.status == 502)
            #expect(page.text.contains("&lt;b&gt;server_error"))
        }
    }

    @Test("a rejected code is shown as a refusal")
    func refusedCode() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            demo.provider.change { $0.tokenError = "invalid_grant" }
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"]))
            #expect(page.status == 502)
            #expect(page.text.contains("invalid_grant"))
        }
    }

    @Test("an id_token with one mistake signs nobody in", arguments: FakeProvider.Fault.allCases)
    func wrongIDToken(fault: FakeProvider.Fault) async throws {
        try await withDemo { demo in
            let browser = demo.browser
            demo.provider.change { $0.fault = fault }
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"]))
            #expect(page.status == 502)
            #expect(page.text.contains("The id_token can’t be trusted"))
            #expect(page.text.contains(fault.explanation))
            #expect(try await browser.get("/session").location == "/")
        }
    }

    @Test("userinfo about another person signs nobody in")
    func otherUserInfo() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            demo.provider.change { $0.userInfo = #"{"sub":"user_2","name":"Mallory"}"# }
            let asked = try await demo.begin(in: browser)
            let page = try await browser.get(demo.callback(state: asked["state"]))
            #expect(page.status == 502)
            #expect(try await browser.get("/session").location == "/")
        }
    }

    @Test("a person without a shared name and email is signed in")
    func nothingShared() async throws {
        try await withDemo { demo in
            demo.provider.change { $0.userInfo = #"{"sub":"user_1"}"# }
            let page = try await demo.signIn(in: demo.browser)
            #expect(page.text.contains("No name shared"))
            #expect(page.text.contains("No email shared"))
        }
    }
}

extension FakeProvider.Fault {
    /// The text on the page, so that each fault is rejected for its own reason.
    fileprivate var explanation: String {
        switch self {
        case .wrongSignature: "Its signature is invalid."
        case .unknownKey: "provider does not publish"
        case .otherAudience: "another application"
        case .otherIssuer: "has another issuer"
        case .otherNonce: "another sign-in"
        case .expired: "It has expired."
        case .noIDToken: "The response contains none"
        }
    }
}
