import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@testable import Factors

/// A person with a browser that is signed in.
struct OwnAccount: Sendable {
    static let password = "correct horse battery staple"

    let platform: TestPlatform
    let browser: TestBrowser
    let id: ID<Person>
    let session: ID<PersonSession>
    let email: String
    let app: AuthenticatorKey

    /// - Parameters:
    ///   - age: the time since the person gave all factors, in seconds.
    ///   - hasApp: whether the person has an authenticator app.
    static func make(
        _ platform: TestPlatform, _ name: String = "Ada", signedIn age: TimeInterval = 0, hasApp: Bool = true
    ) async throws -> OwnAccount {
        let (id, app, now, keyring) = (ID<Person>(at: Date()), AuthenticatorKey.random(), Date(), platform.settings.keyring)
        let email = "\(name.lowercased())@example.com"
        let hash = try await PasswordHashing(count: 1).hash(try #require(Password(typed: password)))
        let hourAgo = now.addingTimeInterval(-3600)
        let factor = PersonTOTP.insert(
            ID(at: now), of: id, Secret(bytes: app.bytes), usedAt: AuthenticatorKey.step(at: hourAgo), keyring: keyring, at: hourAgo)
        _ = try await platform.ownerPool.run(
            [
                Person.insert(id, name: name, email: email, isProved: true, at: hourAgo),
                Person.setPassword(hash.text, of: id, keyring: keyring, at: hourAgo),
            ] + (hasApp ? [factor] : []))
        let (session, browser) = try await signIn(id, at: now.addingTimeInterval(-age), platform)
        return OwnAccount(platform: platform, browser: browser, id: id, session: session, email: email, app: app)
    }

    /// Another browser in which the person has signed in.
    func otherBrowser(signedIn age: TimeInterval = 0) async throws -> TestBrowser {
        try await Self.signIn(id, at: Date().addingTimeInterval(-age), platform).browser
    }

    private static func signIn(
        _ person: ID<Person>, at now: Date, _ platform: TestPlatform
    ) async throws -> (session: ID<PersonSession>, browser: TestBrowser) {
        var random = SystemRandomNumberGenerator()
        let (secret, url) = (PersonSession.makeSecret(using: &random), platform.settings.publicURL)
        let browser = TestBrowser(publicURL: url, address: platform.address)
        let new = PersonSession.New(
            ID(at: now), of: person, .browser, methods: ["pwd", "otp", "mfa"], userAgent: "Test/1", address: "203.0.113.7")
        _ = try await platform.ownerPool.run(new.insert(secret, keyring: platform.settings.keyring, at: now))
        browser.cookies[url.hasPrefix("https:") ? "__Host-espalier-account" : "espalier-account"] = secret.reveal()
        return (new.id, browser)
    }

    /// The code that the app shows now, or some steps of 30 s later.
    func code(_ steps: Int64 = 0) -> String { String(decoding: app.code(at: AuthenticatorKey.step(at: Date()) + steps), as: UTF8.self) }

    func get(_ path: String) async throws -> TestBrowser.Answer { try await browser.get(browser.publicURL + path) }

    /// Sends a form of a page, with the hidden fields of the page.
    func send(_ path: String, _ fields: [(String, String)] = [], from page: String) async throws -> TestBrowser.Answer {
        try await browser.sendForm(path, fields, of: try await get(page))
    }

    /// Sends the form of a page, and then that of the page that asks before a removal.
    func confirm(_ path: String, from page: String) async throws -> TestBrowser.Answer {
        try await browser.sendForm(path, of: try await send(path, from: page))
    }

    /// Signs in with the password and the app, on the sign-in pages of a browser.
    func signIn(in browser: TestBrowser, password: String = password) async throws -> TestBrowser.Answer {
        let start = try await browser.get(browser.publicURL + "/account/sign-in")
        let asked = try await browser.sendForm("/account/sign-in", [("email", email)], of: start)
        _ = try await browser.sendForm("/account/sign-in/password", [("email", email), ("password", password)], of: asked)
        let page = try await browser.get(browser.publicURL + "/account/sign-in/code")
        return try await browser.sendForm("/account/sign-in/code", [("code", code())], of: page)
    }

    func person() async throws -> Person { try #require(try await platform.ownerPool.run(Person.find(id)).first(Person.init)) }

    func actions() async throws -> [String] { try await platform.audit(id.description).map(\.action) }
}

extension TestBrowser {
    /// Sends the form with an action of a shown page.
    func sendForm(_ path: String, _ fields: [(String, String)] = [], of page: Answer) async throws -> Answer {
        let forms = page.body.components(separatedBy: "<form ").dropFirst()
        guard let form = forms.first(where: { $0.contains("action=\"\(path)\"") }) else {
            throw TestSimulator.Refused(description: "no form \(path): \(page.status) \(page.body)")
        }
        let end = form.range(of: "</form>")?.lowerBound ?? form.endIndex
        let hidden = form[..<end].matches(of: /type="hidden" name="([a-z_]+)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
        return try await post(publicURL + path, form: hidden + fields)
    }
}

extension AuthenticatorKey {
    /// The key that a page shows as text.
    static func shown(on page: TestBrowser.Answer) throws -> AuthenticatorKey {
        let text = try #require(page.body.firstMatch(of: /<dd><bdi>([A-Z2-7 ]{39})<\/bdi>/)).1.replacing(" ", with: "")
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for letter in text.utf8 {
            let value = letter >= UInt8(ascii: "A") ? letter - UInt8(ascii: "A") : letter - UInt8(ascii: "2") + 26
            (bits, count) = (bits << 5 | UInt32(value), count + 5)
            if count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count - 8)))
                count -= 8
            }
        }
        return try #require(AuthenticatorKey(bytes: bytes))
    }
}

extension TestPlatform {
    /// Runs the body on an installation that sends its mails to a server of the test.
    static func runWithMail(
        log: RecordedLog? = nil, _ body: @Sendable @escaping (TestPlatform, TestMailServer) async throws -> Void
    ) async throws {
        try await TestMailServer.run { server async throws in
            let settings = try server.settings()
            try await run(log: log, { $0.mail = settings }) { platform in try await body(platform, server) }
        }
    }
}

extension TestMailServer {
    /// The newest mail to an address, which may still be on its way.
    func mail(to address: String, after count: Int = 0) async throws -> Received {
        try await eventually("the mail arrives") { mails.dropFirst(count).last { $0.recipient == address } }
    }
}

extension OwnAccount {
    /// Adds a passkey to the table, which no authenticator has.
    @discardableResult
    func addPasskeyRow(_ name: String = "Phone") async throws -> ID<PersonPasskey> {
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let passkey = PersonPasskey(
            ID(at: Date()), of: id, credential: bytes, publicKey: bytes + bytes, aaguid: Array(bytes[..<16]), signCount: 0,
            isBackupEligible: true, isBackedUp: true, transports: ["internal"], name: name, at: Date())
        _ = try await platform.ownerPool.run(passkey.insert)
        return passkey.id
    }
}
