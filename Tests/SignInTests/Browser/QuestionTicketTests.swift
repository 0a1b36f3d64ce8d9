import Access
import Foundation
import Sealing
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing

/// Sign-ins of Acme's first application that wait for an answer.
@Suite("Question ticket")
struct QuestionTicketTests {
    private let keyring: Keyring
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    private func application(of platform: TestPlatform, _ acme: TenantConfiguration) throws -> Application {
        let id = try #require(ID<Application>(platform.acme.applications[0].client_id))
        return try #require(acme.applications[id])
    }

    private func ticket(
        _ acme: TenantConfiguration, _ application: Application, _ page: QuestionTicket.Page = .name, state: String?, secret: String?,
        host: String? = nil, at now: Date? = nil
    ) -> (ticket: QuestionTicket, code: AuthorizationCode) {
        let now = now ?? self.now
        let code = AuthorizationCode(
            login: ID(at: now), tenant: acme.tenant.id, application: application.id, user: ID(at: now), connection: .own,
            redirectURI: TestPlatform.redirectURI, codeChallenge: nil, nonce: nil, scope: "openid", authenticatedAt: now, device: Device(),
            at: now)
        let address = ReturnAddress(redirectURI: TestPlatform.redirectURI, mode: .form_post, state: state, issuer: "https://issuer.test")
        let signIn = secret.map { QuestionTicket.AppleSignIn(secret: $0, codeHash: LoginAttempt.hash("c.apple")) }
        let (delivery, maxAge): (LoginAttempt.Delivery, Int?) = (page == .consent ? .codeWithoutURI : .code, secret == nil ? nil : 600)
        return (
            QuestionTicket(
                page, code, to: address, after: signIn, maxAge: maxAge, delivery: delivery, asksConsent: page == .consent, atHost: host,
                at: now), code
        )
    }

    @Test("a ticket opens unchanged, and only for its browser and state")
    func roundTrip() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let application = try application(of: platform, acme)
            let cases: [(String?, String?, QuestionTicket.Page, String?)] = [
                ("s", "secret", .name, nil), (nil, "secret.de", .consent, "login.acme.test"), ("s", nil, .name, "login.acme.test"),
                (nil, "secret", .consent, nil),
            ]
            for (state, secret, page, host) in cases {
                let (ticket, code) = ticket(acme, application, page, state: state, secret: secret, host: host)
                let opened = try QuestionTicket(
                    opening: try #require(ticket.sealed(with: keyring)), of: acme.tenant.id, with: keyring, at: now + 899)
                #expect(opened.login == code.login && opened.application == code.application && opened.askedAt == now)
                #expect(opened.page == page && opened.place == ticket.place && opened.isSilent == (secret == nil))
                #expect(opened.host == host)
                #expect(opened.asksConsent == (page == .consent) && opened.delivery == (page == .consent ? .codeWithoutURI : .code))
                #expect(opened.secret(ofBrowserWith: ["planted", secret ?? ""]) == secret)
                for others in [[], [""], ["secret "], ["secret.fr"], ["Secret"]] { #expect(opened.secret(ofBrowserWith: others) == nil) }
                #expect(opened.follows(appleCode: "c.apple") == (secret != nil) && opened.maxAge == (secret == nil ? nil : 600))
                for other in ["", "c.apple2", "C.apple", "c.apple\u{200D}"] { #expect(!opened.follows(appleCode: other)) }
                let address = try #require(opened.returnAddress(of: application, state: state, issuer: "https://issuer.test"))
                #expect(address.redirectURI == TestPlatform.redirectURI && address.mode == .form_post && address.state == state)
                for other in ["other", state == nil ? "s" : nil] {
                    #expect(opened.returnAddress(of: application, state: other, issuer: "https://issuer.test") == nil)
                }
                var changed = application
                changed.redirectURIs = ["https://other.test/"]
                #expect(opened.returnAddress(of: changed, state: state, issuer: "https://issuer.test") == nil)
            }
        }
    }

    @Test("a ticket counts for 15 minutes, for its tenant, and is unaltered")
    func refused() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let application = try application(of: platform, acme)
            let sealed = try #require(ticket(acme, application, state: nil, secret: "s").ticket.sealed(with: keyring))
            func open(_ text: String, of tenant: ID<Tenant>? = nil, at time: Date? = nil) throws -> QuestionTicket {
                try QuestionTicket(opening: text, of: tenant ?? acme.tenant.id, with: keyring, at: time ?? now)
            }
            #expect(throws: QuestionTicket.Refusal.expired(application.id)) { try open(sealed, at: now + 900) }
            #expect(throws: QuestionTicket.Refusal.unreadable) { try open(sealed, of: ID(at: now)) }
            for text in ["", "x", sealed + "A", String(sealed.dropLast()), String(repeating: "A", count: 100_000)] {
                #expect(throws: QuestionTicket.Refusal.unreadable) { try open(text) }
            }
            // Nobody learns the application of another tenant.
            #expect(throws: QuestionTicket.Refusal.unreadable) { try open(sealed, of: ID(at: now), at: now + 900) }
            // A value with another purpose.
            let other = keyring.sealToken([UInt8](repeating: 1, count: 200), purpose: "consent_ticket")
            #expect(throws: QuestionTicket.Refusal.unreadable) { try open(other) }
        }
    }

    @Test("the next ticket of a sign-in is for another page, with a lifetime of its own, and opens no code of the first page")
    func next() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            let (consent, code) = ticket(acme, try application(of: platform, acme), .consent, state: "s", secret: "secret")
            let name = consent.asking(.name, at: now + 800)
            let sealed = try #require(name.sealed(with: keyring))
            let opened = try QuestionTicket(opening: sealed, of: acme.tenant.id, with: keyring, at: now + 1600)
            #expect(opened.page == .name && opened.login == consent.login && opened.maxAge == 600 && opened.asksConsent)
            #expect(opened.secret(ofBrowserWith: ["secret"]) != nil && opened.follows(appleCode: "c.apple"))
            let held = try #require(code.sealed(forPage: consent.place, with: keyring))
            #expect(throws: AuthorizationCode.Refusal.unreadable) {
                try AuthorizationCode(opening: held, onPage: name.place, with: keyring)
            }
            #expect(throws: AuthorizationCode.Refusal.unreadable) {
                try AuthorizationCode(
                    opening: held, with: keyring, tenant: acme.tenant.id, application: code.application,
                    redirectURI: TestPlatform.redirectURI, verifier: nil)
            }
        }
    }

    @Test("the page after an expired or unusable form leads to the application")
    func wayBack() async throws {
        try await TestPlatform.run { [self] platform in
            let path = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)"
            let login = "https://app.test/login"
            #expect(try await platform.call("PATCH", path, ["login_url": login]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let acme = try await platform.configuration(of: platform.acme)
            let application = try application(of: platform, acme)
            for asking in QuestionTicket.Page.allCases {
                for (age, text) in [(901.0, "more than 15 minutes"), (0, "could not be read")] {
                    let ticket = ticket(acme, application, asking, state: nil, secret: "s", at: Date(timeIntervalSinceNow: -age)).ticket
                    let sealed = try #require(ticket.sealed(with: platform.settings.keyring))
                    let page = try await TestBrowser(platform).post(
                        "\(platform.acme.issuer)/oauth2/\(asking)", form: [("ticket", sealed), ("login", "x")])
                    #expect(page.isPage(400) && page.body.contains(text), "\(page.body)")
                    #expect(page.body.contains("<a class=\"button\" href=\"\(login)\">"), "\(text)")
                }
            }
        }
    }
}
