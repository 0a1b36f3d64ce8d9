import Foundation
import NIOHTTP1
import Server
import TestSupport
import Postgres
import Testing

/// Headers, forms and paths in which U+0600, U+0301 or U+200D joins with a separator into one `Character`, and values that are equal
/// only in Unicode (CWE-176, CWE-436; ASVS 1.2.10, 2.2.1). `WireTextTests` and `WireHeadersTests` test each parser.
@Suite("Attack: separators and lookalikes on the wire")
struct WireTextAttackTests {
    static let joining = ["\u{600}", "\u{301}", "\u{200D}"]

    @Test("CWE-290: behind a proxy, no address in a caller's X-Forwarded-For is used as the caller's own")
    func forwardedFor() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            for (index, joining) in Self.joining.enumerated() {
                for (number, invented) in ["1.2.3.4:\(joining)", "1.2.3.4\(joining)", "1.2.3.4,\(joining)"].enumerated() {
                    let slug = "proxied-\(index)-\(number)"
                    let made = try await platform.call(
                        "POST", "/tenants", ["slug": slug, "name": "Proxied"], headers: [("X-Forwarded-For", "\(invented), 203.0.113.9")])
                    #expect(made.status == 201)
                    let address = try await platform.ownerPool.run(
                        "SELECT address FROM audit_event WHERE action = 'createTenant' AND after->>'slug' = \(slug)"
                    ).first { try $0.get("address", as: String?.self) }
                    #expect(address == "203.0.113.9", "\(invented.debugDescription)")
                }
            }
        }
    }

    @Test("CWE-436: a path that a proxy in front reads differently is rejected, and not routed")
    func path() async throws {
        try await TestPlatform.run { platform in
            // In Swift, the first slash is part of another character. Then a scheme and a host would follow, and `/v1/tenants` would be
            // the path.
            for joining in Self.joining {
                for target in ["/\(joining)://x/v1/tenants", "/t/acme\(joining)/oauth2/jwks", "/t/acme/\(joining)/../oauth2/jwks"] {
                    let answer = try await RawConnection.send(
                        "GET \(target) HTTP/1.1\r\nHost: login.test\r\nAuthorization: Bearer \(platform.seeded.api_keys[0].secret)\r\n"
                            + "Connection: close\r\n\r\n", to: platform)
                    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(target.debugDescription): \(answer)")
                    #expect(!answer.contains("\"keys\"") && !answer.contains("\"data\""), "\(target.debugDescription)")
                }
            }
        }
    }

    @Test("CWE-436: credentials, media types, versions and lists are read by their bytes")
    func headers() async throws {
        try await TestPlatform.run { platform in
            let (key, browser, request) = (platform.seeded.api_keys[0].secret, TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tenant = "\(TestPlatform.publicURL)/v1/tenants/acme"
            for joining in Self.joining {
                for value in ["Bearer\(joining) \(key)", "Bearer \(joining)\(key)", "Bearer \(key)\(joining)", "\(joining)Bearer \(key)"] {
                    let answer = try await browser.get(tenant, headers: [("Authorization", value)])
                    #expect(answer.status == 401, "\(value.debugDescription)")
                }
                for type in ["application/json\(joining)", "\(joining)application/json", "application\(joining)/json"] {
                    let answer = try await browser.send(
                        "POST", "\(TestPlatform.publicURL)/v1/tenants",
                        headers: [("Authorization", "Bearer \(key)"), ("Content-Type", type)],
                        body: "{}")
                    #expect(answer.status == 415, "\(type.debugDescription)")
                }
                let tag = try #require(try await platform.call("GET", "/tenants/acme").header("ETag"))
                let matched = try await platform.call(
                    "PATCH", "/tenants/acme", ["name": "Acme"], headers: [("If-Match", "\"zz\"\(joining), \(tag)")])
                #expect(matched.status == 200)
                let basic = Data("\(request.application.client_id)\(joining):\(request.application.client_secret ?? "")".utf8)
                let refused = try await browser.post(
                    "\(platform.acme.issuer)/oauth2/token", form: [("grant_type", "refresh_token"), ("refresh_token", "x")],
                    headers: [("Authorization", "Basic \(basic.base64EncodedString())")])
                #expect(refused.refuses("invalid_client"))
            }
        }
    }

    @Test("CWE-176: a client, a redirect URI, a scope or a prompt that only looks like a registered one is rejected")
    func lookalikes() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let application = "/tenants/acme/applications/\(request.application.client_id)"
            let registered = try await platform.change(
                "PATCH", application, of: application, ["redirect_uris": ["https://app.test/K;x", TestPlatform.redirectURI]])
            #expect(registered.status == 200)
            try await eventually(
                "the server learns of the change",
                isSo: {
                    try await !TestBrowser(platform).get(request.url(changing: ["redirect_uri": "https://app.test/K;x"])).leadsNowhere
                })
            for uri in ["https://app.test/\u{212A};x", "https://app.test/K\u{37E}x", "https://app.test/K;x\u{200D}"] {
                #expect(try await TestBrowser(platform).get(request.url(changing: ["redirect_uri": uri])).leadsNowhere, "\(uri)")
            }
            for joining in Self.joining {
                let client = try await TestBrowser(platform).get(
                    request.url(changing: ["client_id": request.application.client_id + joining]))
                #expect(client.leadsNowhere)
                for prompt in ["none\(joining)", "\(joining)none", "login\(joining) none", "login \(joining)consent"] {
                    let answer = try await TestBrowser(platform).get(request.url(changing: ["prompt": prompt]))
                    #expect(answer["error"] == "invalid_request", "\(prompt.debugDescription)")
                }
                // Unknown words are ignored. The words next to them count.
                var asked = request
                asked.scope = "x\(joining) openid \(joining)email"
                let browser = TestBrowser(platform)
                let tokens = try await browser.signedIn(asked)
                #expect(tokens.json["scope"] as? String == "openid")
            }
        }
    }
}
