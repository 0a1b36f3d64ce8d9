import Access
import Foundation
import Server
import TestSupport
import Testing

/// An installation where Globex is the OpenID Connect provider of Acme's members. Apple signs the users of Globex in.
///
/// Its public URL is the address of the server, because the server asks itself for the documents and the tokens of Globex.
struct TenantAsProvider: Sendable {
    let sso: SSOPlatform
    /// The application of Globex that stands for Acme.
    let client: String

    var platform: TestPlatform { sso.platform }
    var root: String { platform.settings.publicURL }
    var issuer: String { "\(root)/t/globex" }
    var browser: TestBrowser { TestBrowser(publicURL: root, address: platform.address) }

    static func run(_ body: @Sendable @escaping (TenantAsProvider) async throws -> Void) async throws {
        let port = FreePorts.take()
        let root = "http://127.0.0.1:\(port)"
        try await SSOPlatform.run({ settings in (settings.publicURL, settings.port) = (root, port) }) { sso in
            let platform = sso.platform
            try await platform.simulator.send(
                .PUT, "/simulator/services-ids/\(platform.shared.servicesID)",
                ["team": platform.shared.team, "display_name": "Test", "return_urls": ["\(root)/auth/apple/callback"]])
            let registered = try await platform.call(
                "POST", "/tenants/globex/applications", key: platform.globex.api_keys[0].secret,
                ["name": "Acme's members", "kind": "web", "redirect_uris": ["\(root)/account/sso/callback"]])
            let secret = try #require(registered.string("client_secret"), "\(registered.body)")
            let provider = TenantAsProvider(sso: sso, client: registered.resourceID)
            let set = try await sso.set(provider.issuer, client: provider.client, secret: secret)
            #expect(set.string("redirect_uri") == "\(root)/account/sso/callback", "\(set.body)")
            try await body(provider)
        }
    }

    /// Makes the provider the only sign-in of Acme's members.
    func require() async throws {
        let required = try await sso.set(issuer, client: client, secret: nil, ["is_required": true])
        #expect(required.status == 200, "\(required.body)")
    }

    /// Gives a person an Apple Account with an address.
    func addToApple(_ name: String, _ email: String) async throws {
        try await platform.simulator.send(.POST, "/simulator/people", ["name": name, "email": email])
    }

    /// Signs in, from the page for the address through Globex and Apple to the response of Acme's sign-in.
    func signIn(_ email: String, as name: String, in browser: TestBrowser) async throws -> TestBrowser.Answer {
        let toGlobex = try await sso.start(email, in: browser)
        #expect(toGlobex.hasPrefix("\(issuer)/oauth2/authorize?"))
        let form = try await browser.atApple(try await browser.get(toGlobex), person: name)
        let back = try await browser.callback(form)
        let callback = try #require(back.location, "\(back.status) \(back.body)")
        #expect(callback.hasPrefix("\(root)/account/sso/callback?") && back["iss"] == issuer, "\(callback)")
        return try await browser.get(callback)
    }

    /// Gives a password, although the page leads to the provider.
    func givePassword(_ password: String, of email: String) async throws -> TestBrowser.Answer {
        let browser = browser
        let page = try await sso.enter(email, in: browser)
        let form = [("csrf", try SSOPlatform.csrf(page)), ("email", email), ("password", password)]
        return try await browser.post("\(root)/account/sign-in/password", form: form)
    }

    /// An access token of a terminal that the person of a browser has allowed.
    func terminal(of browser: TestBrowser) async throws -> String {
        let (program, path) = (TerminalPerson.Program(), "/account/oauth2/approval")
        _ = try await browser.get(TestBrowser.Request.url("\(root)/account/oauth2/authorize", program.query))
        let page = try await browser.get(root + path)
        let allowed = try await browser.post(root + path, form: TerminalPerson.fields(of: path, in: page))
        let tokens = try await browser.post(
            "\(root)/account/oauth2/token",
            form: [
                ("grant_type", "authorization_code"), ("client_id", "espalierctl"), ("code", allowed["code"] ?? ""),
                ("redirect_uri", program.redirectURI), ("code_verifier", program.verifier),
            ])
        return try #require(tokens.string("access_token"), "\(page.body) \(allowed.status) \(tokens.body)")
    }

    /// The actions of a person in the trail of Acme, or of the platform.
    func actions(of person: String, in trail: String) async throws -> [String] {
        try await platform.call("GET", "/\(trail)/audit-events?actor=\(person)").elements.compactMap { $0["action"] as? String }
    }
}
