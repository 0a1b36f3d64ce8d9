import Access
import Encoding
import Foundation
import NIOHTTP1
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

/// The OpenID Foundation's plan for a basic OpenID provider. Each module has a test with its name. docs/openid-conformance.md states the
/// result of each.
@Suite("oidcc-basic-certification-test-plan")
struct BasicPlanTests {
    @Test("oidcc-server: a login gives a code, an id_token that passes every check, and an access token that works")
    func server() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login()
            #expect(login.idToken["amr"] as? [String] == ["apple"])
            #expect(login.idToken["sid"] as? String != nil)
            let info = try await party.userInfo(login.accessToken)
            #expect(info.status == 200)
            #expect(info.string("sub") == login.subject)
        }
    }

    @Test("oidcc-response-type-missing: without a response_type the application receives invalid_request")
    func responseTypeMissing() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(try await party.authorize(["response_type": nil]).reports(party.request, "invalid_request"))
        }
    }

    @Test("oidcc-idtoken-signature: an id_token has its application's algorithm, including RS256, and names its key")
    func idTokenSignature() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            try await party.setSigningAlgorithm("RS256")
            let token = try await party.login().answer.string("id_token")
            let header = try jwtHeader(token)
            #expect(header["alg"] == "RS256")
            #expect(header["kid"]?.isEmpty == false)
        }
    }

    @Test("oidcc-idtoken-unsigned: no id_token is unsigned, and no application can request that")
    func idTokenUnsigned() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(!party.list("id_token_signing_alg_values_supported").contains("none"))
            let asked: [String: any Sendable] = [
                "name": "None", "kind": "web", "redirect_uris": [TestPlatform.redirectURI], "signing_algorithm": "none",
            ]
            let answer = try await platform.call("POST", "/tenants/acme/applications", asked)
            #expect(answer.status == 400)
            #expect(answer.refusedFields == ["signing_algorithm"])
        }
    }

    @Test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow: without a nonce there is a code, and no nonce in the id_token")
    func withoutNonce() async throws {
        try await TestPlatform.run { platform in
            let login = try await RelyingParty(platform).login(["nonce": nil])
            #expect(login.idToken["nonce"] == nil)
        }
    }

    @Test("oidcc-codereuse: a repeated code is invalid_grant")
    func codeReuse() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let code = try #require(try await party.signIn()["code"])
            let login = try await party.login(code: code, nonce: party.request.nonce)
            #expect(try await party.userInfo(login.accessToken).status == 200)
            #expect(try await party.redeem(code).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("oidcc-codereuse-30seconds: a code repeated after 30 seconds is invalid_grant, and ends the first tokens")
    func codeReuseLater() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            // The user that the code names.
            let subject = try #require(try await party.login().subject)
            let (fresh, older) = try await codes(of: party, user: subject, ages: (0, 30))
            let login = try await party.login(code: fresh, nonce: party.request.nonce)
            #expect(try await party.userInfo(login.accessToken).status == 200)
            #expect(try await party.redeem(older).isOAuthError(400, "invalid_grant"))
            #expect(try await party.userInfo(login.accessToken).status == 401)
            #expect(try await party.token([("grant_type", "refresh_token"), ("refresh_token", login.refreshToken)]).status == 400)
        }
    }

    @Test("oidcc-ensure-registered-redirect-uri: an unregistered redirect URI gets a page, never a redirect")
    func registeredRedirectURI() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            for changes in [["redirect_uri": "\(party.request.redirectURI)/other"], ["redirect_uri": nil]] as [[String: String?]] {
                #expect(try await party.authorize(changes).isPage(400))
                #expect(try await party.authorize(changes.merging(["response_mode": "form_post"]) { $1 }).isPage(400))
            }
        }
    }

    @Test("oidcc-ensure-post-request-succeeds: an authorization request may be posted")
    func postRequest() async throws {
        try await TestPlatform.run { platform in
            _ = try await RelyingParty(platform).login(byPost: true)
        }
    }

    @Test("oidcc-server-client-secret-post: an application may send its secret in the form")
    func clientSecretPost() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(party.list("token_endpoint_auth_methods_supported").contains("client_secret_post"))
            let code = try #require(try await party.signIn()["code"])
            let answer = try await party.redeem(code, posts: true)
            #expect(answer.status == 200)
            _ = try await party.check(
                answer.string("id_token"), accessToken: answer.string("access_token") ?? "", nonce: party.request.nonce)
        }
    }

    @Test("oidcc-refresh-token: a refresh gives a new access token that works; another application is refused")
    func refreshToken() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login(["scope": "openid offline_access", "prompt": "consent"])
            let form = [("grant_type", "refresh_token"), ("refresh_token", login.refreshToken)]
            let other = try await RelyingParty(platform, application: 0)
            #expect(try await other.token(form).isOAuthError(400, "invalid_grant"))
            let answer = try await party.token(form)
            #expect(answer.status == 200)
            #expect(answer.string("scope") == "openid offline_access")
            let access = try #require(answer.string("access_token"))
            #expect(access != login.accessToken)
            #expect(try await party.userInfo(access).string("sub") == login.subject)
        }
    }

    @Test("oidcc-ensure-request-with-valid-pkce-succeeds: an exempt application may use PKCE, and must then complete it")
    func validPKCE() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let changes = ["code_challenge": party.request.challenge, "code_challenge_method": "S256"] as [String: String?]
            _ = try await party.login(changes)
            let code = try #require(try await party.signIn(changes)["code"])
            #expect(try await party.redeem(code).isOAuthError(400, "invalid_grant"))
        }
    }

    /// The same code twice, with these ages in seconds. The sealed issue time is changed, so the test does not wait.
    private func codes(of party: RelyingParty, user: String, ages: (TimeInterval, TimeInterval)) async throws -> (String, String) {
        let acme = try await party.platform.configuration(of: party.platform.acme)
        let query = party.request.authorizeURL(changing: ["code_challenge": nil, "code_challenge_method": nil]).split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: party.platform.acme.issuer)
        let attempt = LoginAttempt(asked, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "s", at: Date())
        func sealed(_ age: TimeInterval) -> String {
            AuthorizationCode(attempt, user: ID(user)!, connection: .own, authenticatedAt: Date() - age, at: Date() - age)
                .sealed(with: party.platform.settings.keyring)
        }
        return (sealed(ages.0), sealed(ages.1))
    }
}
