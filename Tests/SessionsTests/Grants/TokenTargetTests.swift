import Encoding
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// `resource` at authorize and at the token endpoint (RFC 8707). `ExchangeTokenTests` covers the token exchange.
@Suite("Token target")
struct TokenTargetTests {
    @Test("a token's target is the issuer: any other resource is invalid_target, and uses up nothing (RFC 8707)")
    func resource() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, issuer) = (TestBrowser(platform), TestBrowser.Request(platform.acme), platform.acme.issuer)
            let others = ["https://api.test", "\(issuer)/", "\(issuer)#x", "\(issuer)\u{301}", "acme", platform.globex.issuer]
            for resource in others {
                for encoded in [[resource], [issuer, resource], [resource, issuer]].map({
                    $0.map { "&resource=\(Form.encode($0))" }.joined()
                }) {
                    #expect(try await browser.get(request.authorizeURL + encoded).reports(request, "invalid_target"), "\(encoded)")
                }
            }
            let same = "&resource=\(Form.encode(issuer))"
            for accepted in [same, same + same, "&resource=", "&resource=&resource=" + same] {
                #expect(try await browser.get(request.authorizeURL + accepted).status == 302, "\(accepted)")
            }

            let form = [("grant_type", "authorization_code"), ("redirect_uri", request.redirectURI), ("code_verifier", request.verifier)]
            let code = try #require(try await browser.signIn(request)["code"])
            for resource in others {
                let refused = try await browser.token(request, form + [("code", code), ("resource", issuer), ("resource", resource)])
                #expect(refused.isOAuthError(400, "invalid_target"), "\(resource)")
            }
            let tokens = try await browser.token(request, form + [("code", code), ("resource", issuer), ("resource", issuer)])
            #expect(tokens.status == 200, "\(tokens.body)")
            #expect(try claims(of: tokens.string("access_token"))["aud"] as? String == issuer)

            let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.string("refresh_token") ?? "")]
            #expect(try await browser.token(request, refresh + [("resource", "https://api.test")]).isOAuthError(400, "invalid_target"))
            let refreshed = try await browser.token(request, refresh + [("resource", issuer)])
            #expect(try claims(of: refreshed.string("access_token"))["aud"] as? String == issuer)
        }
    }
}
