import NIOHTTP1
import Server
import TestSupport
import Testing

/// An application with several issuers cannot confuse them (RFC 9700, section 4.4; RFC 9207; ASVS 10.2.2).
@Suite("Attack: mix-up")
struct MixUpTests {
    @Test("RFC 9207, 2: every response, success or error, names its issuer, which is the tenant's own")
    func issuerInAnswer() async throws {
        try await TestPlatform.run { platform in
            for tenant in platform.seeded.tenants {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(tenant))
                let good = try await browser.signIn(request)
                #expect(good["code"] != nil && good["iss"] == tenant.issuer)
                let refused = try await browser.get(request.url(changing: ["response_type": "token"]))
                #expect(refused.givesApplicationNoCode && refused["iss"] == tenant.issuer)
                let cancelled = try await browser.signIn(request, person: "cancel")
                #expect(cancelled.givesApplicationNoCode && cancelled["iss"] == tenant.issuer)
                // The response has it only once, because it is unclear which of two a client would use.
                for answer in [good, refused, cancelled] {
                    #expect(answer.location?.matches(of: /[?&]iss=/).count == 1)
                }
                // Even if the caller sends one.
                let brought = try await browser.get(request.url(changing: ["iss": "https://evil.test", "prompt": "none"]))
                #expect(brought["iss"] == tenant.issuer && brought.location?.contains("evil") == false)
            }
        }
    }

    @Test("RFC 9207, 3; RFC 8414, 3.3: the metadata's issuer is its address, its endpoints are its own, and it promises `iss`")
    func metadata() async throws {
        try await TestPlatform.run { platform in
            for tenant in platform.seeded.tenants {
                for document in ["openid-configuration", "oauth-authorization-server"] {
                    let json = try await TestBrowser(platform).get(
                        "\(tenant.issuer)/.well-known/\(document)",
                        headers: [("X-Forwarded-Host", "evil.test"), ("X-Forwarded-Proto", "http"), ("Forwarded", "host=evil.test")]
                    ).json
                    #expect(json["issuer"] as? String == tenant.issuer)
                    #expect(json["authorization_response_iss_parameter_supported"] as? Bool == true)
                    for (name, value) in json where name.hasSuffix("_endpoint") || name.hasSuffix("_uri") {
                        #expect((value as? String)?.hasPrefix("\(tenant.issuer)/") == true, "\(name)")
                    }
                }
            }
        }
    }

    @Test("RFC 9700, 4.4: another tenant's Return URL rejects Apple's response to one tenant's attempt")
    func otherReturnURL() async throws {
        try await TestPlatform.run { platform in
            let shared = "\(TestPlatform.publicURL)/auth/apple/callback"
            let doors = [platform.acme.return_url, "\(platform.globex.issuer)/auth/apple/callback", shared]
            for tenant in platform.seeded.tenants {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(tenant))
                let form = try await browser.atApple(try await browser.authorize(request), person: "new")
                for door in doors where door != tenant.return_url {
                    var misled = form
                    misled.action = door
                    #expect(try await browser.callback(misled).leadsNowhere, "\(tenant.slug) at \(door)")
                }
                #expect(
                    try await platform.count("tenant_user", where: "tenant_id = (SELECT id FROM tenant WHERE slug = '\(tenant.slug)')") == 0
                )
                #expect(try await browser.callback(form)["code"] != nil)
            }
        }
    }

    @Test("RFC 9700, 4.4.1: a code sent to another issuer's token endpoint gets nothing there, and stays valid at its own issuer")
    func codeAtOtherIssuer() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.stolenCode(request)
            var elsewhere = request
            elsewhere.tenant = platform.globex
            #expect(try await browser.redeem(code, elsewhere).refuses("invalid_client"))
            elsewhere.application = platform.globex.applications[0]
            #expect(try await browser.redeem(code, elsewhere).refuses("invalid_grant"))
            #expect(try await browser.redeem(code, request).status == 200)
        }
    }
}
