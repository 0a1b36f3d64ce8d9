import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// Input that is too large, too deep or malformed is rejected before it causes cost (RFC 6819, section 4.6.1; ASVS 2.2, 4.1,
/// 15.2).
@Suite("Attack: oversized and malformed requests")
struct MalformedRequestTests {
    private static func tokenURL(_ platform: TestPlatform) -> String { "\(platform.acme.issuer)/oauth2/token" }

    @Test("CWE-400: a token, code, state or header of any length is rejected by its length")
    func oversizedTokens() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            for length in [4096, 4097, 8193, 30_000] {
                let long = String(repeating: "A", count: length)
                #expect(try await browser.redeem(long, request).refuses("invalid_grant"))
                #expect(try await browser.refresh("ert_" + long, request).refuses("invalid_grant"))
                #expect(try await browser.userInfo(authorization: "Bearer \(long)", at: platform.acme).refuses("invalid_token"))
                // Three of these parts can exceed the limit of a head.
                let parts = try await browser.userInfo(authorization: "Bearer \(long).\(long).\(long)", at: platform.acme)
                #expect((400..<500).contains(parts.status))
                #expect(try await platform.call("GET", "/tenants/acme", key: long).status == 401)
                let callback = try await browser.post(platform.acme.return_url, form: [("state", long), ("code", long)])
                #expect(callback.leadsNowhere)
                let basic = try await browser.post(
                    Self.tokenURL(platform), form: [("grant_type", "refresh_token"), ("refresh_token", "x")],
                    headers: [("Authorization", "Basic \(Data(long.utf8).base64EncodedString())")])
                #expect(basic.refuses("invalid_client"))
            }
        }
    }

    @Test("CWE-400: a body over 64 KiB of any kind is not read, nor a head over the HTTP limit here")
    func oversizedBodies() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let long = String(repeating: "A", count: 70_000)
            for url in [Self.tokenURL(platform), platform.acme.return_url, platform.globex.return_url] {
                #expect(try await browser.post(url, form: [("state", long)]).status == 413)
            }
            #expect(try await platform.call("POST", "/tenants", ["slug": long]).status == 413)
            for head in ["X-Long: \(String(repeating: "a", count: 200_000))", String(repeating: "X-Many: a\r\n", count: 20_000) + "X: y"] {
                let answer = try await RawConnection.send(
                    "GET /t/acme/oauth2/jwks HTTP/1.1\r\nHost: login.test\r\nConnection: close\r\n\(head)\r\n\r\n", to: platform)
                #expect(!answer.contains("\"keys\""))
            }
            // Other callers are unaffected.
            #expect(try await browser.signedIn(.init(platform.acme)).status == 200)
        }
    }

    @Test("CWE-674: JSON a hundred thousand levels deep, with a repeated member, or with a number out of range, is rejected")
    func hostileJSON() async throws {
        try await TestPlatform.run { platform in
            for body in [
                String(repeating: "[", count: 60_000), String(repeating: "{\"a\":", count: 12_000),
                "{\"a\":" + String(repeating: "[", count: 33),
                #"{"slug":"a","slug":"b"}"#, #"{"slug":"a","\u0073lug":"b"}"#, #"{"slug":1e999999999}"#, "{\"slug\":\"\u{0}\"}",
                #"{"slug":"\ud800"}"#,
                "\u{FEFF}{}", "{}{}", "{\"slug\":\"a\"}\0", #"{"__proto__":{"isOperator":true},"slug":"a"}"#,
                "{" + (0..<4000).map { "\"a\($0)\":0" }.joined(separator: ",") + "}",
            ] {
                let answer = try await TestBrowser(platform).send(
                    "POST", "\(TestPlatform.publicURL)/v1/tenants",
                    headers: [("Authorization", "Bearer \(platform.seeded.api_keys[0].secret)"), ("Content-Type", "application/json")],
                    body: body)
                #expect(answer.status == 400, "\(body.prefix(40)): \(answer.status)")
                // The response to bad input is not much larger than the input.
                #expect(answer.body.utf8.count < 8_000, "\(body.prefix(40)): \(answer.body.utf8.count) bytes")
            }
            #expect(try await platform.count("tenant") == 2)
        }
    }

    @Test("RFC 6749, 3.1 and 3.2: any repeated parameter is rejected")
    func repeated() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            for (name, value) in request.parameters + [("prompt", "login"), ("unknown", "x")] {
                for second in [value, "", "other"] {
                    let url = TestBrowser.Request.url(
                        "\(platform.acme.issuer)/oauth2/authorize", request.parameters + [(name, value), (name, second)])
                    #expect(try await browser.get(url).leadsNowhere, "\(name)")
                }
            }
            let code = try await browser.stolenCode(request)
            let form =
                request.redeeming(code, verifier: request.verifier) + [
                    ("client_id", request.application.client_id), ("client_secret", request.application.client_secret ?? ""),
                ]
            for (name, value) in form {
                for second in [value, "", "other"] {
                    let answer = try await browser.post(Self.tokenURL(platform), form: form + [(name, second)])
                    #expect(answer.refuses("invalid_request"), "\(name)")
                }
            }
            let twice = try await browser.atApple(try await browser.authorize(request), person: "new")
            for (name, value) in twice.fields {
                #expect(try await browser.post(twice.action, form: twice.fields + [(name, value)]).leadsNowhere, "\(name)")
            }
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("RFC 6750, 2; ASVS 14.2.1: tokens and secrets in a URL are ignored")
    func inURL() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.signedIn(request)
            for name in ["access_token", "token", "bearer", "authorization"] {
                let url = "\(platform.acme.issuer)/oauth2/userinfo?\(name)=\(tokens.accessToken)"
                #expect(try await browser.get(url).status == 401)
                #expect(try await browser.post(url, form: []).status == 401)
                let key = platform.acme.api_keys[0].secret
                #expect(try await browser.get("\(TestPlatform.publicURL)/v1/tenants/acme?\(name)=\(key)").status == 401)
            }
            let form = [
                ("grant_type", "refresh_token"), ("refresh_token", tokens.refreshToken), ("client_id", request.application.client_id),
                ("client_secret", request.application.client_secret ?? ""),
            ]
            #expect(try await browser.post(TestBrowser.Request.url(Self.tokenURL(platform), form), form: []).refuses("invalid_request"))
            let half = TestBrowser.Request.url(Self.tokenURL(platform), Array(form.suffix(2)))
            #expect(try await browser.post(half, form: Array(form.prefix(2))).refuses("invalid_client"))
            #expect(try await browser.get(TestBrowser.Request.url(Self.tokenURL(platform), form)).status == 405)
        }
    }

    @Test("RFC 6749, 2.3: a client that authenticates in two ways, or in two headers, is rejected, even if both are right")
    func twoWays() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.signedIn(request)
            let (id, secret) = (request.application.client_id, request.application.client_secret ?? "")
            let basic = ("Authorization", "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())")
            let form = [("grant_type", "refresh_token"), ("refresh_token", tokens.refreshToken)]
            let other = platform.acme.applications[1].client_id
            for (fields, headers) in [
                (form + [("client_id", id), ("client_secret", secret)], [basic]), (form + [("client_secret", secret)], [basic]),
                (form + [("client_id", other)], [basic]), (form, [basic, basic]),
                (form, [basic, ("Authorization", "Bearer \(tokens.accessToken)")]),
                (form, [("Authorization", "Bearer \(tokens.accessToken)"), basic]),
                (form, [("Authorization", basic.1.replacing("Basic ", with: "Basic Basic "))]),
                (form + [("client_id", id), ("client_secret", secret)], [("Authorization", "Bearer \(tokens.accessToken)")]),
            ] {
                let answer = try await browser.post(Self.tokenURL(platform), form: fields, headers: headers)
                #expect(answer.refuses("invalid_request", "invalid_client"), "\(headers.map(\.1.count)): \(answer.body)")
            }
            let key = ("Authorization", "Bearer \(platform.acme.api_keys[0].secret)")
            let call = try await browser.get("\(TestPlatform.publicURL)/v1/tenants/acme", headers: [key, key])
            #expect(call.status == 401)
            #expect(try await browser.post(Self.tokenURL(platform), form: form, headers: [basic]).status == 200)
        }
    }

    @Test("RFC 7617, 2: only the right Basic header is accepted, with no changed byte, and none causes a server error")
    func mutatedBasic() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let (id, secret) = (request.application.client_id, request.application.client_secret ?? "")
            let right = Array("\(id):\(secret)".utf8)
            var credentials = right.indices.map { at in
                var bytes = right
                bytes[at] ^= 1 << UInt8(at % 8)
                return bytes
            }
            credentials += [
                [], [0x3A], Array(id.utf8), Array("\(id):".utf8), Array(":\(secret)".utf8), right + [0], [0] + right, right + [0x25],
                right + [0xFF],
                Array("\(id)%00:\(secret)".utf8), Array("\(id):\(secret)%".utf8), Array("\(id)::\(secret)".utf8),
                Array("\(secret):\(id)".utf8),
            ]
            for bytes in credentials where bytes != right {
                let answer = try await browser.post(
                    Self.tokenURL(platform), form: [("grant_type", "refresh_token"), ("refresh_token", "x")],
                    headers: [("Authorization", "Basic \(Data(bytes).base64EncodedString())")])
                #expect(answer.status == 401 && answer.refuses("invalid_client"), "\(bytes): \(answer.status)")
            }
            // The right header is accepted, and then the token is rejected.
            let right401 = try await browser.post(
                Self.tokenURL(platform), form: [("grant_type", "refresh_token"), ("refresh_token", "x")],
                headers: [("Authorization", "Basic \(Data(right).base64EncodedString())")])
            #expect(right401.refuses("invalid_grant"))
        }
    }

    @Test("RFC 6749, 3.2; ASVS 4.1.1: parameters in another format than a form, or in an invalid form, are rejected")
    func notAForm() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let json = #"{"grant_type":"authorization_code"}"#
            for (type, body) in [
                ("application/json", json), ("text/plain", "grant_type=refresh_token"), ("multipart/form-data; boundary=x", "--x--"),
                ("application/x-www-form-urlencoded", "grant_type=%"), ("application/x-www-form-urlencoded", "grant_type=%ff"),
                ("application/x-www-form-urlencoded", "%67rant_type=a&grant_type=b"), ("application/x-www-form-urlencoded", ""),
                ("application/x-www-form-urlencoded", (0..<100).map { "f\($0)=1" }.joined(separator: "&")),
            ] {
                let answer = try await browser.send("POST", Self.tokenURL(platform), headers: [("Content-Type", type)], body: body)
                #expect(answer.refuses("invalid_request"), "\(type) \(body.prefix(40)): \(answer.status) \(answer.body)")
            }
        }
    }
}
