import NIOHTTP1
import Server
import TestSupport
import Testing

/// A token is valid only for its purpose (RFC 6819, section 4.4.2.6; RFC 9068, section 5; RFC 8725, section 2.8; ASVS 10.3.1).
@Suite("Attack: token substitution")
struct TokenSubstitutionTests {
    @Test("RFC 9068, 4: an access token of one tenant is rejected by another's resources, even for the same person")
    func otherTenant() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let acme = try await browser.signedIn(.init(platform.acme), person: "Ada Lovelace")
            let globex = try await browser.signedIn(.init(platform.globex), person: "Ada Lovelace")
            #expect(try await browser.isTaken(acme.accessToken, at: platform.acme))
            #expect(try await !browser.isTaken(acme.accessToken, at: platform.globex))
            #expect(try await !browser.isTaken(globex.accessToken, at: platform.acme))
            // The two tenants cannot even detect that it is one person.
            #expect(ForgedToken(acme.accessToken).claims["sub"] as? String != ForgedToken(globex.accessToken).claims["sub"] as? String)
        }
    }

    @Test("RFC 8725, 2.8: an id_token or any other value is not accepted as an access token")
    func otherKind() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await browser.authorize(request)
            let form = try await browser.atApple(toApple, person: "new")
            let code = try #require(try await browser.callback(form)["code"])
            let tokens = try await browser.redeem(code, request)
            let wrong = [
                tokens.idToken, tokens.refreshToken, code, toApple["state"] ?? "", form["id_token"] ?? "x",
                platform.acme.api_keys[0].secret, request.application.client_secret ?? "x",
            ]
            for token in wrong { #expect(try await !browser.isTaken(token, at: platform.acme), "\(token.prefix(20))") }
            // An access token is not accepted as an API key either.
            #expect(try await platform.call("GET", "/tenants/acme", key: tokens.accessToken).status == 401)
        }
    }

    @Test("OpenID Connect Core, 3.1.3.7; RFC 6819, 4.4.2.6: an id_token that Apple issued to another tenant's Services ID signs nobody in")
    func otherAudience() async throws {
        try await TestPlatform.run { platform in
            // The attacker runs the other tenant's application, where the victim signed in.
            let (victim, elsewhere) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            let stolen = try await victim.atApple(try await victim.authorize(elsewhere), person: "Grace Hopper")
            let (attacker, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            var form = try await attacker.atApple(try await attacker.authorize(request), person: "new")
            for field in ["code", "id_token", "user"] { form[field] = stolen[field] }
            #expect(try await attacker.callback(form).givesApplicationNoCode)
            #expect(try await platform.count("tenant_user") == 0)

            // The same if Apple's token endpoint returns the other tenant's token.
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "claim", "claim": "aud", "value": platform.shared.servicesID,
                "client_id": platform.own.servicesID, "times": 1,
            ])
            #expect(try await attacker.signIn(request).givesApplicationNoCode)
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("RFC 6749, 6; RFC 9700, 4.14.2: a refresh token belongs to its client and tenant, and needs the client's secret")
    func refreshTokenBound() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            for owner in 0..<3 {
                let request = TestBrowser.Request(platform.acme, application: owner)
                let token = try await browser.signedIn(request).refreshToken
                for thief in 0..<3 where thief != owner {
                    #expect(try await browser.refresh(token, .init(platform.acme, application: thief)).refuses("invalid_grant"))
                }
                #expect(try await browser.refresh(token, .init(platform.globex, application: owner)).refuses("invalid_grant"))
                if request.application.client_secret != nil {
                    let form = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", request.application.client_id)]
                    #expect(try await browser.post("\(platform.acme.issuer)/oauth2/token", form: form).refuses("invalid_client"))
                }
                // None of these requests has affected the session.
                #expect(try await browser.refresh(token, request).status == 200)
            }
        }
    }

    @Test("RFC 6749, 6: a refresh does not extend the granted scope", arguments: ["openid email", "openid admin", "openid\u{0}", "*"])
    func widerScope(_ scope: String) async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            var request = TestBrowser.Request(platform.acme)
            request.scope = "openid"
            let token = try await browser.signedIn(request).refreshToken
            let answer = try await browser.token(request, [("grant_type", "refresh_token"), ("refresh_token", token), ("scope", scope)])
            #expect(answer.refuses("invalid_scope"))
        }
    }
}
