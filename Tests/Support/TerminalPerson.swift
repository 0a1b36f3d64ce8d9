package import Access
import Crypto
package import Foundation
package import People
import Postgres
import Sealing
import Server

/// A person with a browser, and a terminal of this person. Both use only HTTP, except that most are signed in already.
package struct TerminalPerson: Sendable {
    package let platform: TestPlatform
    package let person: ID<Person>
    package let session: ID<PersonSession>
    /// It has the cookie of the session.
    package let browser: TestBrowser
    /// The terminal, which has no cookies.
    package let terminal: TestBrowser

    package static let issuer = "\(TestPlatform.publicURL)/account"
    package static let redirectURI = "http://127.0.0.1:4321/callback"
    package static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// - Parameters:
    ///   - age: how long ago the person gave all factors, in seconds.
    ///   - onlyTenant: whether the session acts for Acme only, as after a sign-in with Acme's provider.
    package init(
        _ platform: TestPlatform, name: String = "Ada", signedInBefore age: TimeInterval = 0, onlyTenant: Bool = false
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let (now, secret, keyring) = (Date(), PersonSession.makeSecret(using: &random), platform.settings.keyring)
        (self.platform, person, session) = (platform, ID(at: now), ID(at: now))
        (browser, terminal) = (TestBrowser(platform), TestBrowser(platform))
        let membership = Membership.insert(
            ID(at: now), of: person, as: .builtIn(.developer), owner: ID<Tenant>(platform.acme.id)!.uuid, at: now)
        let new = PersonSession.New(
            session, of: person, .browser, methods: ["pwd", "otp"], onlyTenant: onlyTenant ? ID<Tenant>(platform.acme.id) : nil,
            authenticatedAt: now.addingTimeInterval(-age), userAgent: nil,
            address: nil)
        _ = try await platform.ownerPool.run([
            Person.insert(person, name: name, email: "\(name.lowercased())@example.com", isProved: true, at: now), membership,
            new.insert(secret, keyring: keyring, at: now),
        ])
        browser.cookies = ["__Host-espalier-account": secret.reveal()]
    }

    /// The terminal of a person who has signed in on the pages.
    package init(of client: PersonClient) async throws {
        let rows = try await client.platform.ownerPool.run(
            """
            SELECT s.person_id, s.id FROM person_session AS s JOIN person AS p ON p.id = s.person_id
            WHERE p.email = \(client.email) AND s.kind = 'browser' AND s.ended_at IS NULL ORDER BY s.created_at DESC LIMIT 1
            """)
        guard let row = rows.first(where: { _ in true }) else { throw TestSimulator.Refused(description: "not signed in") }
        (platform, person, session) = (client.platform, try row.get("person_id"), try row.get("id"))
        (browser, terminal) = (client.browser, TestBrowser(client.platform))
    }

    // MARK: With a browser

    /// The program's part of an authorization request.
    package struct Program: Sendable {
        package var verifier = TestBrowser.randomText() + TestBrowser.randomText()
        package var state = TestBrowser.randomText()
        package var redirectURI = TerminalPerson.redirectURI

        package init() {}

        package var query: [(String, String)] {
            let challenge = Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            return [
                ("response_type", "code"), ("client_id", "espalierctl"), ("redirect_uri", redirectURI), ("state", state),
                ("code_challenge", challenge), ("code_challenge_method", "S256"), ("host_name", "laptop"),
            ]
        }
    }

    package func authorize(_ query: [(String, String)]) async throws -> TestBrowser.Answer {
        try await browser.get(TestBrowser.Request.url("\(Self.issuer)/oauth2/authorize", query))
    }

    /// The page on which the person decides.
    package func review(_ program: Program) async throws -> TestBrowser.Answer {
        _ = try await authorize(program.query)
        return try await browser.get("\(Self.issuer)/oauth2/approval")
    }

    /// Sends the first form of a page with this action, with all its fields.
    package func press(
        _ action: String, of page: TestBrowser.Answer, _ fields: [(String, String)] = [], headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        try await browser.post(
            TestPlatform.publicURL + action, form: Self.fields(of: action, in: page) + fields, headers: headers)
    }

    /// The hidden fields of a form.
    package static func fields(of action: String, in page: TestBrowser.Answer) -> [(String, String)] {
        let forms = page.body.components(separatedBy: "<form ").dropFirst()
        guard let form = forms.first(where: { $0.contains("action=\"\(action)\"") || $0.contains("action=\"\(action)?") }) else {
            return []
        }
        return form.components(separatedBy: "</form>")[0].matches(of: /type="hidden" name="([a-z_]+)" value="([^"]*)"/)
            .map { (String($0.1), String($0.2)) }
    }

    package func redeem(_ code: String, _ program: Program, redirectURI: String? = nil, verifier: String? = nil) async throws
        -> TestBrowser.Answer
    {
        try await token([
            ("grant_type", "authorization_code"), ("client_id", "espalierctl"), ("code", code),
            ("redirect_uri", redirectURI ?? program.redirectURI), ("code_verifier", verifier ?? program.verifier),
        ])
    }

    /// A code of an approval.
    package func code(_ program: Program) async throws -> String {
        try await press("/account/oauth2/approval", of: try await review(program))["code"] ?? ""
    }

    // MARK: Without one

    /// The codes of the terminal.
    package func start(_ form: [(String, String)] = [("host_name", "build-7")]) async throws -> TestBrowser.Answer {
        try await terminal.post("\(Self.issuer)/oauth2/device_authorization", form: [("client_id", "espalierctl")] + form)
    }

    package func poll(_ code: String) async throws -> TestBrowser.Answer {
        try await token([("grant_type", Self.deviceGrant), ("client_id", "espalierctl"), ("device_code", code)])
    }

    /// The same after the interval.
    package func pollLater(_ code: String) async throws -> TestBrowser.Answer {
        _ = try await platform.ownerPool.run("UPDATE person_device SET polled_at = polled_at - interval '10 minutes'")
        return try await poll(code)
    }

    /// The page that shows which terminal asks.
    package func show(_ userCode: String) async throws -> TestBrowser.Answer {
        try await press("/account/device", of: try await browser.get("\(Self.issuer)/device"), [("user_code", userCode)])
    }

    private func token(_ form: [(String, String)]) async throws -> TestBrowser.Answer {
        try await terminal.post("\(Self.issuer)/oauth2/token", form: form)
    }

    /// How many sessions of terminals are active.
    package func terminals() async throws -> Int {
        try await platform.count("person_session", where: "kind = 'terminal' AND ended_at IS NULL")
    }
}
