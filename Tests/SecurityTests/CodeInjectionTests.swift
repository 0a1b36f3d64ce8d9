import NIOHTTP1
import Server
import TestSupport
import Testing

/// A stolen authorization code is useless (RFC 9700, section 4.5; RFC 6819, sections 4.4.1.1 to 4.4.1.3; ASVS 10.4.2, 10.4.3).
@Suite("Attack: code injection and replay")
struct CodeInjectionTests {
    @Test("RFC 9700, 4.5.1: a stolen code, injected into the attacker's own session with the client, does not match the verifier")
    func injected() async throws {
        try await TestPlatform.run { platform in
            // The client redeems the code from the attacker's browser with the verifier of the attacker's own request.
            for application in [0, 1, 2] {
                let victim = TestBrowser.Request(platform.acme, application: application)
                let code = try await TestBrowser(platform).stolenCode(victim)
                let attacker = TestBrowser.Request(platform.acme, application: application)
                #expect(try await TestBrowser(platform).redeem(code, attacker).refuses("invalid_grant"))
                // It is still valid for the victim.
                #expect(try await TestBrowser(platform).redeem(code, victim).status == 200)
            }
            #expect(try await platform.count("session") == 3)
        }
    }

    @Test("RFC 6819, 4.4.1.7: another client, confidential or public, or another tenant cannot redeem a code")
    func otherClient() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            for (owner, thief) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
                let victim = TestBrowser.Request(platform.acme, application: owner)
                let code = try await browser.stolenCode(victim)
                var attacker = victim
                attacker.application = platform.acme.applications[thief]
                #expect(try await browser.redeem(code, attacker).refuses("invalid_grant"), "\(owner) by \(thief)")
                // With the right client ID, but without its secret, or with the thief's own secret.
                if let secret = platform.acme.applications[thief].client_secret ?? platform.globex.applications[0].client_secret {
                    let answer = try await browser.post(
                        "\(platform.acme.issuer)/oauth2/token",
                        form: victim.redeeming(code, verifier: victim.verifier) + [
                            ("client_id", victim.application.client_id), ("client_secret", secret),
                        ])
                    #expect(answer.refuses("invalid_client"), "\(owner) with the secret of \(thief)")
                }
                var otherTenant = TestBrowser.Request(platform.globex, application: owner)
                otherTenant.verifier = victim.verifier
                #expect(try await browser.redeem(code, otherTenant).refuses("invalid_grant"))
                // At the other tenant's endpoint, the right client does not exist.
                let elsewhere = try await browser.post(
                    "\(platform.globex.issuer)/oauth2/token",
                    form: victim.redeeming(code, verifier: victim.verifier) + [
                        ("client_id", victim.application.client_id), ("client_secret", victim.application.client_secret ?? "x"),
                    ])
                #expect(elsewhere.refuses("invalid_client"))
            }
            #expect(try await platform.count("session") == 0)
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("RFC 9700, 2.1.1: a second redemption, by the victim or the thief, ends the session of the first one", arguments: [true, false])
    func replay(thiefFirst: Bool) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let code = try await TestBrowser(platform).stolenCode(request)
            // The worst case: the thief also has the verifier and the secret.
            let (thief, victim) = (TestBrowser(platform), TestBrowser(platform))
            let first = try await (thiefFirst ? thief : victim).redeem(code, request)
            #expect(first.status == 200)
            #expect(try await (thiefFirst ? victim : thief).redeem(code, request).refuses("invalid_grant"))
            #expect(try await !thief.isTaken(first.accessToken, at: platform.acme))
            #expect(try await thief.refresh(first.refreshToken, request).refuses("invalid_grant"))
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test(
        "RFC 6749, 4.1.3: a code leaked to one redirect URI is not redeemed under another",
        arguments: [
            "https://app.test/callback/", "https://app.test/callback?", "https://APP.test/callback", "https://app.test:443/callback", "",
        ])
    func otherRedirectURI(_ uri: String) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.stolenCode(request)
            var form = request.redeeming(code, verifier: request.verifier).filter { $0.0 != "redirect_uri" }
            form.append(("redirect_uri", uri))
            #expect(try await browser.token(request, form).refuses("invalid_grant", "invalid_request"))
        }
    }

    @Test("RFC 6819, 4.4.1.3: codes cannot be guessed or changed into one another")
    func guessed() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.stolenCode(request)
            let other = try await browser.stolenCode(request)
            #expect(code.prefix(30) != other.prefix(30))
            var guesses = [String(code.prefix(code.count / 2) + other.suffix(other.count - code.count / 2)), String(code.reversed())]
            // One bit of each part: version, key ID, nonce, content, tag.
            for at in stride(from: 0, to: code.count, by: 7) {
                var characters = Array(code)
                characters[at] = characters[at] == "A" ? "B" : "A"
                guesses.append(String(characters))
            }
            for guess in guesses { #expect(try await browser.redeem(guess, request).refuses("invalid_grant"), "\(guess)") }
            #expect(try await browser.redeem(code, request).status == 200)
        }
    }

    @Test("RFC 9700, 2.4: the token endpoint does not accept one kind of secret as another")
    func otherKind() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let state = try #require(try await browser.authorize(request)["state"])
            let code = try await browser.stolenCode(request)
            let tokens = try await browser.signedIn(request)
            for wrong in [state, tokens.accessToken, tokens.idToken, tokens.refreshToken] {
                #expect(try await browser.redeem(wrong, request).refuses("invalid_grant"))
            }
            for wrong in [state, code, tokens.accessToken, tokens.idToken] {
                #expect(try await browser.refresh(wrong, request).refuses("invalid_grant"))
            }
        }
    }
}
