import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// The granted scope of a request (RFC 6749, section 3.3). `NativeCallbackTests` covers native requests.
@Suite("Scope")
struct ScopeTests {
    @Test("a scope without a supported value is invalid_scope, and no response has an empty scope")
    func emptyScope() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            for scope in ["address", "OPENID phone", "openid\u{301}", "*"] {
                let answer = try await browser.get(request.authorizeURL(changing: ["scope": scope]))
                #expect(answer.reports(request, "invalid_scope"), "\(scope)")
            }
            // A session of an older version that granted no scope.
            let tokens = try await browser.tokens(request)
            let (access, refresh) = (tokens["access_token"] as? String ?? "", tokens["refresh_token"] as? String ?? "")
            let session = try #require(try claims(of: access)["sid"] as? String)
            _ = try await platform.ownerPool.run("UPDATE session SET scope = ''")
            let refreshed = try await browser.refresh(refresh, request)
            #expect(refreshed.status == 200, "\(refreshed.body)")
            #expect(Set(refreshed.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token"])
            #expect(try claims(of: refreshed.string("access_token"))["scope"] == nil)
            let form = [("client_id", request.application.client_id), ("client_secret", request.application.client_secret ?? "")]
            for token in [refreshed.string("access_token"), refreshed.string("refresh_token")] {
                let reported = try await browser.post("\(platform.acme.issuer)/oauth2/introspect", form: form + [("token", token ?? "")])
                #expect(reported.json["active"] as? Bool == true && reported.json["scope"] == nil, "\(reported.body)")
            }
            #expect(try await browser.userInfo(refreshed.string("access_token"), of: platform.acme).isOAuthError(403, "insufficient_scope"))
            #expect(try await platform.call("GET", "/tenants/acme/sessions/\(session)").json["scope"] == nil)
        }
    }
}
