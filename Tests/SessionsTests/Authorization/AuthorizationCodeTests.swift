import Access
import BrowserSessions
import ClientKeys
import Encoding
import Foundation
import Sealing
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
import Users
import Web

@Suite("Authorization code")
struct AuthorizationCodeTests {
    let keyring: Keyring
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    /// A code, its bindings, and values that open it with some bindings replaced.
    private struct Issued {
        let request: TestBrowser.Request
        let login: ID<LoginID>
        let code: AuthorizationCode
        let keyring: Keyring
        let now: Date

        func open(
            tenant: ID<Tenant>? = nil, application: ID<Application>? = nil, redirectURI: String? = nil, verifier: String?? = nil
        ) throws -> AuthorizationCode {
            try AuthorizationCode(
                opening: code.sealed(with: keyring), with: keyring, tenant: tenant ?? code.tenant,
                application: application ?? code.application,
                redirectURI: redirectURI ?? request.redirectURI, verifier: verifier ?? request.verifier)
        }
    }

    private func issue(
        _ platform: TestPlatform, vouched: Identity.Vouched? = nil, changing changes: [String: String?] = [:]
    ) async throws -> Issued {
        let acme = try await platform.configuration(of: platform.acme)
        let request = TestBrowser.Request(platform.acme, application: 2)
        let query = request.authorizeURL(changing: changes).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        let login = ID<LoginID>(at: now)
        let code = AuthorizationCode(
            login: login, tenant: acme.tenant.id, application: asked.application.id, user: ID(at: now), vouched: vouched, connection: .own,
            redirectURI: request.redirectURI, codeChallenge: asked.codeChallenge, nonce: asked.nonce, scope: asked.scope,
            authenticatedAt: now - 5, device: Device(), at: now)
        return Issued(request: request, login: login, code: code, keyring: keyring, now: now)
    }

    @Test("a code opens with the values that were sealed")
    func roundTrip() async throws {
        try await TestPlatform.run { [self] platform in
            let issued = try await issue(platform)
            let opened = try issued.open()
            #expect(opened.login == issued.login)
            #expect(opened.user == issued.code.user)
            #expect(opened.connection == .own)
            #expect(opened.nonce == issued.request.nonce)
            #expect(opened.scope == "openid profile email")
            #expect(opened.authenticatedAt == now - 5)
            #expect(opened.issuedAt == now)
        }
    }

    @Test("a code names the identity, and the code of an older version opens without it")
    func identity() async throws {
        try await TestPlatform.run { [self] platform in
            let vouched = Identity.Vouched(team: "TEAM123456", at: now - 7)
            let (named, older) = (try await issue(platform, vouched: vouched), try await issue(platform))
            let opened = (try named.open(), try older.open())
            #expect(opened.0.vouched == vouched)
            #expect(opened.1.vouched == nil)
        }
    }

    @Test("a code is valid for exactly one minute")
    func lifetime() async throws {
        try await TestPlatform.run { [self] platform in
            let issued = try await issue(platform)
            let opened = try issued.open()
            #expect(!opened.isExpired(at: now + 59.9))
            #expect(opened.isExpired(at: now + 60))
        }
    }

    @Test("each binding is checked individually")
    func bindings() async throws {
        try await TestPlatform.run { [self] platform in
            let issued = try await issue(platform)
            #expect(throws: AuthorizationCode.Refusal.otherTenant) { try issued.open(tenant: ID(at: now)) }
            #expect(throws: AuthorizationCode.Refusal.otherApplication) { try issued.open(application: ID(at: now)) }
            #expect(throws: AuthorizationCode.Refusal.otherRedirectURI) { try issued.open(redirectURI: "https://app.test/callback?") }
            #expect(throws: AuthorizationCode.Refusal.verifierMissing) { try issued.open(verifier: .some(nil)) }
            #expect(throws: AuthorizationCode.Refusal.verifierWrong) { try issued.open(verifier: TestBrowser.randomText()) }
            let bare = try await issue(platform, changing: ["code_challenge": nil, "code_challenge_method": nil])
            #expect(throws: AuthorizationCode.Refusal.verifierUnexpected) { try bare.open() }
            #expect(throws: Never.self) { try bare.open(verifier: .some(nil)) }
        }
    }

    @Test("a code after a question is issued later than its sign-in was admitted, and keeps every binding")
    func afterQuestion() async throws {
        try await TestPlatform.run { [self] platform in
            let request = TestBrowser.Request(platform.acme, application: 2)
            let later = now + 600
            for browser in [nil, BrowserSession.Link(ID(at: now), signedInAt: nil), BrowserSession.Link(ID(at: now), signedInAt: now - 60)]
            {
                for key in [nil, KeyThumbprint(String(repeating: "A", count: 43))] {
                    let code = AuthorizationCode(
                        login: ID(at: now), tenant: ID(at: now), application: ID(at: now), user: ID(at: now),
                        vouched: .init(team: "TEAM123456", at: now - 7), connection: .own, redirectURI: request.redirectURI,
                        codeChallenge: request.challenge, nonce: "n", scope: "openid", apis: [ID(at: now)], key: key,
                        authenticatedAt: now - 5, device: Device(), browser: browser, at: now)
                    let waiting = try #require(code.sealed(forPage: "page", with: keyring))
                    let opened = try AuthorizationCode(opening: waiting, onPage: "page", with: keyring).issued(at: later)
                    let last = try AuthorizationCode(
                        opening: opened.sealed(with: keyring), with: keyring, tenant: code.tenant, application: code.application,
                        redirectURI: request.redirectURI, verifier: request.verifier, provenKey: key)
                    #expect(last.admittedAt == browser?.signedInAt ?? now)
                    #expect(last.followsQuestion && CompletedLogin(last).codeIssuedAt == later)
                    #expect(!code.followsQuestion && CompletedLogin(code).codeIssuedAt == nil)
                    #expect(!last.isExpired(at: later + 59.9) && last.isExpired(at: later + 60))
                    #expect(last.login == code.login && last.user == code.user && last.browser == browser && last.key == key)
                    #expect(last.vouched == code.vouched && last.apis == code.apis && last.nonce == "n")
                    #expect(CompletedLogin(last).admittedAt == browser?.signedInAt ?? now)
                    #expect(throws: AuthorizationCode.Refusal.verifierMissing) {
                        try AuthorizationCode(
                            opening: opened.sealed(with: keyring), with: keyring, tenant: code.tenant, application: code.application,
                            redirectURI: request.redirectURI, verifier: nil, provenKey: key)
                    }
                }
            }
        }
    }

    @Test("a code that waits on a page opens there only")
    func onPage() async throws {
        try await TestPlatform.run { [self] platform in
            let issued = try await issue(platform)
            let waiting = try #require(issued.code.sealed(forPage: "page", with: keyring))
            #expect(throws: AuthorizationCode.Refusal.unreadable) {
                try AuthorizationCode(
                    opening: waiting, with: keyring, tenant: issued.code.tenant, application: issued.code.application,
                    redirectURI: issued.request.redirectURI, verifier: issued.request.verifier)
            }
            for (text, page) in [(waiting, "page2"), (waiting, ""), (issued.code.sealed(with: keyring), "page"), ("", "page")] {
                #expect(throws: AuthorizationCode.Refusal.unreadable) {
                    try AuthorizationCode(opening: text, onPage: page, with: keyring)
                }
            }
        }
    }

    @Test("a code that is altered or sealed by another keyring is unreadable")
    func unreadable() async throws {
        try await TestPlatform.run { [self] platform in
            let issued = try await issue(platform)
            let sealed = issued.code.sealed(with: keyring)
            func open(_ text: String, with keyring: Keyring) throws -> AuthorizationCode {
                try AuthorizationCode(
                    opening: text, with: keyring, tenant: issued.code.tenant, application: issued.code.application,
                    redirectURI: issued.request.redirectURI, verifier: issued.request.verifier)
            }
            for position in stride(from: 0, to: sealed.utf8.count, by: 7) {
                var altered = Array(sealed)
                altered[position] = altered[position] == "A" ? "B" : "A"
                #expect(throws: AuthorizationCode.Refusal.unreadable) { try open(String(altered), with: keyring) }
            }
            let other = try Keyring([.generate()])
            #expect(throws: AuthorizationCode.Refusal.unreadable) { try open(sealed, with: other) }
        }
    }
}
