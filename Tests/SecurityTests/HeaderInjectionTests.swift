import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// A caller's input never becomes a line of a response or a part of a page (RFC 6819, section 5.2.1.1; RFC 9700, 4.2; ASVS 1.2.1, 1.2.2).
@Suite("Attack: header injection")
struct HeaderInjectionTests {
    static let lines = [
        "x\r\nSet-Cookie: evil=1", "x\nSet-Cookie: evil=1", "x\rSet-Cookie: evil=1", "x\r\n\r\n<script>alert(1)</script>", "\0",
        "x\u{2028}Set-Cookie: evil=1", "x\u{85}Set-Cookie: evil=1", "嘊嘍Set-Cookie: evil=1", "%0d%0aSet-Cookie: evil=1", "\u{1B}[2J",
        "\"; evil=1",
    ]

    private static func expectClean(
        _ answer: TestBrowser.Answer, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!answer.headers["Set-Cookie"].contains { $0.hasPrefix("evil") }, "\(what)", sourceLocation: sourceLocation)
        for header in answer.headers {
            #expect(!header.value.utf8.contains { $0 < 0x20 || $0 > 0x7E }, "\(what): \(header.name)", sourceLocation: sourceLocation)
        }
        #expect(!answer.body.contains("<script>"), "\(what)", sourceLocation: sourceLocation)
    }

    @Test("CWE-113: response splitting: state, nonce and scope pass through a whole login and return as data")
    func throughALogin() async throws {
        try await TestPlatform.run { platform in
            for line in Self.lines {
                let browser = TestBrowser(platform)
                var request = TestBrowser.Request(platform.acme)
                (request.state, request.nonce, request.scope) = (line, line, "openid \(line)")
                let toApple = try await browser.authorize(request)
                Self.expectClean(toApple, "authorize \(line.debugDescription)")
                let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
                Self.expectClean(back, "callback \(line.debugDescription)")
                #expect(back["state"] == line)
                let tokens = try await browser.redeem(back["code"] ?? "", request)
                Self.expectClean(tokens, "token \(line.debugDescription)")
                #expect(tokens.json["scope"] as? String == "openid")
                #expect(ForgedToken(tokens.idToken).claims["nonce"] as? String == line)
            }
        }
    }

    @Test("CWE-113: the same in errors, in every parameter")
    func inRefusals() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            for line in Self.lines + ["<script>alert(1)</script>", "'\"><script>alert(1)</script>", "{{7*7}}", "{{{title}}}"] {
                for name in [
                    "state", "client_id", "redirect_uri", "response_type", "response_mode", "prompt", "scope", "code_challenge", line,
                ] {
                    let changes: KeyValuePairs<String, String?> = ["response_type": "token", "state": line, name: line]
                    Self.expectClean(try await browser.get(request.url(changing: changes)), "\(name): \(line.debugDescription)")
                }
                for name in ["grant_type", "client_id", "client_secret", "code", "redirect_uri", "refresh_token", "scope", line] {
                    let form = [("grant_type", "refresh_token")].filter { $0.0 != name } + [(name, line)]
                    let answer = try await browser.post("\(platform.acme.issuer)/oauth2/token", form: form)
                    Self.expectClean(answer, "\(name): \(line.debugDescription)")
                    #expect(answer.refuses("invalid_request", "invalid_client", "unsupported_grant_type", "invalid_grant"))
                }
            }
        }
    }

    @Test("CWE-93: the same in a path, in place of a tenant's name")
    func inPaths() async throws {
        try await TestPlatform.run { platform in
            for text in [
                "acme%0d%0aSet-Cookie:%20evil=1", "%00", "..%2f..%2fetc%2fpasswd", "%3Cscript%3E", "acme%2F..%2Fglobex", "%ff", "%",
            ] {
                for path in ["/t/\(text)/oauth2/authorize", "/t/\(text)/.well-known/openid-configuration", "/v1/tenants/\(text)"] {
                    let answer = try await TestBrowser(platform).get(TestPlatform.publicURL + path)
                    Self.expectClean(answer, path)
                    #expect((400..<500).contains(answer.status), "\(path): \(answer.status)")
                }
            }
        }
    }

    @Test("CWE-117: a request ID that could end a log line, or is not a plain ID, is replaced")
    func requestID() async throws {
        try await TestPlatform.run { platform in
            for id in ["a b", "a\"b", "<script>", "a,b", String(repeating: "a", count: 129), "é", "a\tb"] {
                let answer = try await TestBrowser(platform).get(
                    "\(platform.acme.issuer)/oauth2/jwks", headers: [("Request-Id", id)])
                #expect(answer.header("Request-Id")?.hasPrefix("req_") == true, "\(id)")
            }
        }
    }

    @Test("CWE-644: no header determines our address: Host and headers added by proxies change no URL of a response")
    func host() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            for name in [
                "Host", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "Forwarded", "X-Original-URL", "X-Rewrite-URL",
            ] {
                let evil = [(name, name == "Forwarded" ? "host=evil.test;proto=http" : "evil.test")]
                let toApple = try await browser.get(request.authorizeURL, headers: evil)
                #expect(toApple["redirect_uri"] == platform.acme.return_url, "\(name)")
                #expect(!"\(toApple.headers)\(toApple.body)".contains("evil.test"), "\(name)")
                let refused = try await browser.get(request.url(changing: ["prompt": "none"]), headers: evil)
                #expect(refused["iss"] == platform.acme.issuer, "\(name)")
            }
        }
    }

    @Test("RFC 9112, 11.2: request smuggling: a request that two servers could read differently gets no response for the hidden one")
    func smuggling() async throws {
        try await TestPlatform.run { platform in
            let hidden = "GET /t/acme/oauth2/jwks HTTP/1.1\r\nHost: login.test\r\nConnection: close\r\n\r\n"
            let post = "POST /t/acme/oauth2/token HTTP/1.1\r\nHost: login.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            for head in [
                "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Content-Length: +0\r\n\r\n", "Content-Length: 0x0\r\n\r\n",
                "Content-Length: -1\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n",
            ] {
                let answer = try await RawConnection.send(post + head + hidden, to: platform)
                #expect(!answer.contains("\"keys\""), "\(head.debugDescription): \(answer)")
            }
            // A complete request gets a response.
            #expect(try await RawConnection.send(hidden, to: platform).contains("\"keys\""))
        }
    }
}
