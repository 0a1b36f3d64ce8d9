import Access
import BrowserSessions
import Encoding
import Foundation
import Sealing
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

/// Attempts of Acme's first application, and the values that open from them.
@Suite("Login attempt")
struct LoginAttemptTests {
    let keyring: Keyring
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        keyring = try Keyring([.generate()])
    }

    private func attempt(
        _ platform: TestPlatform, changing changes: [String: String?] = [:], delivering delivery: LoginAttempt.Delivery = .code
    ) async throws -> LoginAttempt {
        let acme = try await platform.configuration(of: platform.acme)
        let query = TestBrowser.Request(platform.acme, application: 2).authorizeURL(changing: changes).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        return LoginAttempt(
            asked, delivering: delivery, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "secret", at: now)
    }

    @Test("an attempt at an own host names the host, and only such an attempt")
    func host() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            for (application, key) in [(2, nil), (1, String(repeating: "A", count: 43))] as [(Int, String?)] {
                for session in [nil, ID<BrowserSession>(UUID())] {
                    let request = TestBrowser.Request(platform.acme, application: application)
                    let query = request.authorizeURL(changing: ["dpop_jkt": key]).split(separator: "?")[1]
                    let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
                    let attempt = LoginAttempt(
                        asked, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "secret", earlierSession: session,
                        atHost: "login.acme.test", at: now)
                    let sealed = attempt.sealed(with: keyring)
                    let opened = try LoginAttempt(opening: sealed, with: keyring, at: now)
                    #expect(opened.host == "login.acme.test" && opened.earlierSession == session && opened.state == attempt.state)
                    #expect(opened.key == attempt.key && (opened.key == nil) == (key == nil))
                    let origin = try #require(LoginAttempt.origin(of: sealed, with: keyring))
                    #expect(origin.host == "login.acme.test" && origin.tenant == acme.tenant.id && origin.login == attempt.login)
                    #expect(origin.redirectURI == attempt.redirectURI)
                    #expect(LoginAttempt.origin(of: String(sealed.dropLast()), with: keyring) == nil)
                }
            }
            let old = try await attempt(platform)
            #expect(old.host == nil && LoginAttempt.origin(of: old.sealed(with: keyring), with: keyring) == nil)
        }
    }

    @Test("a sealed attempt opens unchanged, with present and absent fields")
    func roundTrip() async throws {
        try await TestPlatform.run { [self] platform in
            let full = ["state": "ключ 🍎\u{0}\n", "nonce": "n", "max_age": "0"] as [String: String?]
            let posted = ["state": "ключ 🍎", "nonce": "n", "max_age": "2147483648", "response_mode": "form_post"] as [String: String?]
            let bare =
                ["state": nil, "nonce": nil, "code_challenge": nil, "code_challenge_method": nil, "scope": "openid"] as [String: String?]
            for changes in [full, posted, bare] {
                let attempt = try await attempt(platform, changing: changes)
                let opened = try LoginAttempt(opening: attempt.sealed(with: keyring), with: keyring, at: now)
                #expect(opened.login == attempt.login)
                #expect(opened.tenant == attempt.tenant)
                #expect(opened.connection == attempt.connection)
                #expect(opened.application == attempt.application)
                #expect(opened.redirectURI == attempt.redirectURI)
                #expect(opened.responseMode == (changes.keys.contains("response_mode") ? .form_post : .query))
                #expect(opened.maxAge.map(String.init) == changes["max_age"] ?? nil)
                #expect(opened.state == changes["state"]!)
                #expect(opened.nonce == changes["nonce"]!)
                #expect(opened.scope == (changes.keys.contains("scope") ? "openid" : "openid profile email"))
                #expect(opened.codeChallenge == attempt.codeChallenge)
                #expect((opened.codeChallenge == nil) == changes.keys.contains("code_challenge"))
                #expect(opened.appleNonce == attempt.appleNonce)
                #expect(opened.browser == attempt.browser)
                #expect(opened.startedAt == now)
            }
        }
    }

    @Test("an attempt for tokens opens as one, with and without cookies; every other attempt delivers a code, as in the previous version")
    func delivery() async throws {
        try await TestPlatform.run { [self] platform in
            for state in ["s", String(repeating: "s", count: 4096)] {
                let attempt = try await attempt(platform, changing: ["state": state], delivering: .tokens)
                let parts = attempt.sealedParts(with: keyring)
                let opened = try LoginAttempt(opening: attempt.sealed(with: keyring), with: keyring, at: now) { [parts[$1]] }
                #expect(opened.delivery == .tokens)
                #expect(opened.state == state)
            }
            let code = try await attempt(platform).sealed(with: keyring)
            #expect(try LoginAttempt(opening: code, with: keyring, at: now).delivery == .code)
            // The previous version ends with the start. The attempt for a code has the same bytes.
            let fields = try keyring.openToken(code, purpose: "login_attempt")
            var written = FieldWriter()
            written.write(now)
            #expect(fields.suffix(8) == written.bytes[...])
            // Any other delivery of a later version is refused.
            written.write("0")
            written.write("post")
            let unknown = keyring.sealToken(fields.dropLast(8) + written.bytes, purpose: "login_attempt")
            #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: unknown, with: keyring, at: now) }
        }
    }

    @Test("an attempt that links opens as one; another one for the same request does not link")
    func linking() async throws {
        try await TestPlatform.run { [self] platform in
            for state in ["s", String(repeating: "s", count: 4096)] {
                let first = try await attempt(platform, changing: ["state": state])
                let linking = first.again(through: first.connection, browserSecret: "secret", isLinking: true, at: now)
                let parts = linking.sealedParts(with: keyring)
                let opened = try LoginAttempt(opening: linking.sealed(with: keyring), with: keyring, at: now) { [parts[$1]] }
                #expect(opened.isLinking && opened.delivery == .code && opened.state == state)
                #expect(!first.isLinking && !opened.again(through: first.connection, browserSecret: "secret", at: now).isLinking)
            }
        }
    }

    @Test("prompt=consent of an application of a third party stays in the attempt, and in the next one, with each delivery")
    func asksConsent() async throws {
        try await TestPlatform.run { [self] platform in
            let acme = try await platform.configuration(of: platform.acme)
            for delivery in [LoginAttempt.Delivery.code, .codeWithoutURI] {
                for isThirdParty in [false, true] {
                    var applications = acme.applications
                    let id = try #require(ID<Tenancy.Application>(platform.acme.applications[2].client_id))
                    applications[id]?.isThirdParty = isThirdParty
                    let url = TestBrowser.Request(platform.acme, application: 2).authorizeURL(changing: ["prompt": "login consent"])
                    let asked = try AuthorizationRequest(
                        try Form(String(url.split(separator: "?")[1])), from: applications, issuer: platform.acme.issuer)
                    let attempt = LoginAttempt(
                        asked, delivering: delivery, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "secret",
                        at: now)
                    for attempt in [attempt, attempt.again(through: attempt.connection, browserSecret: "other", at: now)] {
                        let opened = try LoginAttempt(opening: attempt.sealed(with: keyring), with: keyring, at: now)
                        #expect(opened.asksConsent == isThirdParty && opened.delivery == delivery)
                    }
                }
            }
        }
    }

    @Test("max_age counts back from the start of the attempt, with ten seconds for Apple's clock")
    func maxAge() async throws {
        try await TestPlatform.run { [self] platform in
            for (maxAge, ages) in [(nil, (accepted: 1e9, refused: nil)), ("0", (10, 10.1)), ("3600", (3610, 3610.1))]
                as [(String?, (accepted: TimeInterval, refused: TimeInterval?))]
            {
                let attempt = try await attempt(platform, changing: ["max_age": maxAge])
                #expect(attempt.accepts(authenticatedAt: now + 900))
                #expect(attempt.accepts(authenticatedAt: now - ages.accepted))
                if let refused = ages.refused { #expect(!attempt.accepts(authenticatedAt: now - refused)) }
            }
        }
    }

    @Test("an attempt opens for exactly 15 minutes")
    func lifetime() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform)
            let sealed = attempt.sealed(with: keyring)
            #expect(throws: Never.self) { try LoginAttempt(opening: sealed, with: keyring, at: now + 899.9) }
            #expect(throws: LoginAttempt.Refusal.expired(attempt.place)) { try LoginAttempt(opening: sealed, with: keyring, at: now + 900) }
        }
    }

    @Test("an attempt that is altered, cut or sealed by another keyring is unreadable")
    func unreadable() async throws {
        try await TestPlatform.run { [self] platform in
            let sealed = try await attempt(platform).sealed(with: keyring)
            for position in stride(from: 0, to: sealed.utf8.count, by: 7) {
                var altered = Array(sealed)
                altered[position] = altered[position] == "A" ? "B" : "A"
                #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: String(altered), with: keyring, at: now) }
                let cut = String(sealed.prefix(position))
                #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: cut, with: keyring, at: now) }
            }
            let other = try Keyring([.generate()])
            #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: sealed, with: other, at: now) }
            // A new master key does not stop the logins in progress.
            let old = MasterKey.generate()
            let before = try await attempt(platform).sealed(with: try Keyring([old]))
            #expect(throws: Never.self) { try LoginAttempt(opening: before, with: try Keyring([.generate(), old]), at: now) }
        }
    }

    @Test("an authorization code does not open as an attempt, an attempt does not open as a code, and fewer fields are invalid")
    func purposes() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform)
            let code = AuthorizationCode(attempt, user: ID(at: now), connection: .own, authenticatedAt: now, at: now)
            #expect(throws: LoginAttempt.Refusal.unreadable) {
                try LoginAttempt(opening: code.sealed(with: keyring), with: keyring, at: now)
            }
            #expect(throws: AuthorizationCode.Refusal.unreadable) {
                try AuthorizationCode(
                    opening: attempt.sealed(with: keyring), with: keyring, tenant: attempt.tenant, application: attempt.application,
                    redirectURI: attempt.redirectURI, verifier: nil)
            }
            let short = keyring.sealToken(Array(repeating: 0, count: 80), purpose: "login_attempt")
            #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: short, with: keyring, at: now) }
        }
    }

    @Test("an attempt belongs to the browser with the secret, which it does not contain")
    func browser() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await attempt(platform)
            #expect(attempt.secret(ofBrowserWith: ["secret"]) != nil)
            #expect(attempt.secret(ofBrowserWith: ["planted", "secret"]) != nil)
            for others in [[], [""], ["Secret"], ["secret "], ["secre", "t"]] { #expect(attempt.secret(ofBrowserWith: others) == nil) }
            #expect(attempt.browser != Array("secret".utf8))
        }
    }

    /// An attempt with a state, a redirect URI and a nonce of these lengths, and the maximum length of all other fields.
    private func longAttempt(
        _ platform: TestPlatform, state: Int, redirectURI: Int = 30, nonce: Int = 20
    ) async throws -> LoginAttempt {
        let uri = "https://app.test/" + String(repeating: "r", count: redirectURI - 17)
        try await platform.setRedirectURIs([uri], of: platform.acme.applications[2])
        let acme = try await platform.configuration(of: platform.acme)
        var request = TestBrowser.Request(platform.acme, application: 2)
        (request.redirectURI, request.nonce) = (uri, String(repeating: "n", count: nonce))
        request.scope = "openid profile email offline_access"
        // A cut is likely to be within a character.
        request.state = "x" + String(repeating: "é", count: (state - 2) / 2)
        while request.state.utf8.count < state { request.state += "y" }
        let query = request.authorizeURL(changing: ["max_age": "\(Int.max)"]).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        return LoginAttempt(asked, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "secret", at: now)
    }

    @Test("a state of any length up to the limit fits into Apple's URL and cookies, with the longest redirect URI and nonce")
    func longState() async throws {
        try await TestPlatform.run { [self] platform in
            for (uri, nonce) in [(30, 20), (2000, 512)] {
                for length in [64, 1024, 2048, 4095, 4096] {
                    let attempt = try await longAttempt(platform, state: length, redirectURI: uri, nonce: nonce)
                    let (sealed, parts) = (attempt.sealed(with: keyring), attempt.sealedParts(with: keyring))
                    #expect(sealed.utf8.count <= Keyring.longestToken)
                    // Browsers allow 4096 bytes for name and value.
                    #expect(parts.allSatisfy { $0.utf8.count <= 4000 })
                    #expect(parts.count <= 2 && parts.count == attempt.partsInCookies)
                    #expect(parts.isEmpty == (length + uri + nonce < 2700), "\(length) \(uri)")
                    let opened = try LoginAttempt(opening: sealed, with: keyring, at: now) { login, number in
                        login == attempt.login ? ["planted", parts[number]] : []
                    }
                    #expect(opened.state.map { Array($0.utf8) } == attempt.state.map { Array($0.utf8) })
                    #expect(opened.partsInCookies == parts.count)
                    #expect(opened.nonce == attempt.nonce && opened.redirectURI == attempt.redirectURI && opened.startedAt == now)
                }
            }
        }
    }

    @Test("a part opens only at its position in its attempt, and the attempt needs all of its parts")
    func partsBound() async throws {
        try await TestPlatform.run { [self] platform in
            let attempt = try await longAttempt(platform, state: 4096, redirectURI: 2000, nonce: 512)
            let other = try await longAttempt(platform, state: 4096, redirectURI: 2000, nonce: 512)
            let (sealed, own, foreign) = (
                attempt.sealed(with: keyring), attempt.sealedParts(with: keyring), other.sealedParts(with: keyring)
            )
            #expect(own.count == 2)
            let elsewhere = attempt.sealedParts(with: try Keyring([.generate()]))
            for parts in [
                [], [own[0]], [own[1], own[0]], foreign, [own[0], foreign[1]], elsewhere, [own[0], sealed], [own[0], own[1] + "A"],
            ] {
                #expect(throws: LoginAttempt.Refusal.stateMissing(attempt.place)) {
                    try LoginAttempt(opening: sealed, with: keyring, at: now) { _, number in
                        number < parts.count ? [parts[number]] : []
                    }
                }
            }
            // A part does not open as an attempt.
            #expect(throws: LoginAttempt.Refusal.unreadable) { try LoginAttempt(opening: own[0], with: keyring, at: now) }
        }
    }

    @Test("random texts have 128 bits in 22 characters and do not repeat")
    func randomText() {
        let texts = (0..<1000).map { _ in RandomText.make() }
        #expect(Set(texts).count == 1000)
        #expect(texts.allSatisfy { [UInt8](base64URL: $0)?.count == 16 })
    }
}
