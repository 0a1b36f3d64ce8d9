import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

// The claims of userinfo, by scope.
extension BasicPlanTests {
    @Test("oidcc-userinfo-get: userinfo responds to GET with the access token in the header, in JSON")
    func userInfoGet() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login()
            let info = try await party.userInfo(login.accessToken)
            #expect(info.status == 200)
            #expect(info.header("Content-Type") == "application/json")
            #expect(info.string("sub") == login.subject)
        }
    }

    @Test("oidcc-userinfo-post-header: userinfo responds to POST with the access token in the header")
    func userInfoPostHeader() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login()
            let header = ("Authorization", "Bearer \(login.accessToken)")
            let info = try await party.browser.send("POST", party.string("userinfo_endpoint"), headers: [header], body: nil)
            #expect(info.status == 200)
            #expect(info.string("sub") == login.subject)
        }
    }

    @Test("oidcc-userinfo-post-body: userinfo responds to POST with the access token in the form")
    func userInfoPostBody() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login()
            let info = try await party.browser.post(party.string("userinfo_endpoint"), form: [("access_token", login.accessToken)])
            #expect(info.status == 200)
            #expect(info.string("sub") == login.subject)
        }
    }

    /// A login with a scope: the granted scope, and the names of userinfo's claims.
    private func claims(_ party: RelyingParty, scope: String) async throws -> (granted: String?, names: Set<String>) {
        let login = try await party.login(["scope": scope], person: "Grace Hopper")
        let info = try await party.userInfo(login.accessToken)
        #expect(info.status == 200)
        return (login.answer.string("scope"), Set(info.json.keys))
    }

    @Test("oidcc-scope-profile: with the scope profile there is the name")
    func scopeProfile() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(try await claims(party, scope: "openid profile").names == ["sub", "name", "given_name", "family_name"])
        }
    }

    @Test("oidcc-scope-email: with the scope email there is the address, and no name")
    func scopeEmail() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(try await claims(party, scope: "openid email").names == ["sub", "email", "email_verified", "is_private_email"])
        }
    }

    @Test("oidcc-scope-address: the scope address is not supported; a request for it succeeds and grants nothing")
    func scopeAddress() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(!party.list("scopes_supported").contains("address"))
            let (granted, names) = try await claims(party, scope: "openid address")
            #expect(granted == "openid")
            #expect(names == ["sub"])
        }
    }

    @Test("oidcc-scope-phone: the scope phone is not supported; a request for it succeeds and grants nothing")
    func scopePhone() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(!party.list("scopes_supported").contains("phone"))
            let (granted, names) = try await claims(party, scope: "openid phone")
            #expect(granted == "openid")
            #expect(names == ["sub"])
        }
    }

    @Test("oidcc-scope-all: of all OpenID Connect scopes, the supported ones are granted, with their claims")
    func scopeAll() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let (granted, names) = try await claims(party, scope: "openid email phone address profile")
            #expect(granted == "openid profile email")
            #expect(names == ["sub", "name", "given_name", "family_name", "email", "email_verified", "is_private_email"])
        }
    }

    @Test("oidcc-alternate-happy-flow: the order of scopes and of parameters makes no difference")
    func alternateHappyFlow() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let parameters = party.request.parameters.filter { !$0.0.hasPrefix("code_challenge") }
                .map { $0.0 == "scope" ? ($0.0, "email openid") : $0 }
            let url = TestBrowser.Request.url(party.string("authorization_endpoint"), parameters.reversed())
            let back = try await party.browser.callback(try await party.browser.atApple(try await party.browser.get(url), person: "new"))
            let login = try await party.login(code: try #require(back["code"]), nonce: party.request.nonce)
            #expect(login.answer.string("scope") == "openid email")
        }
    }

    @Test("oidcc-claims-essential: the claims parameter is not supported; it succeeds, and claims depend on scopes only")
    func claimsEssential() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(party.metadata["claims_parameter_supported"] as? Bool == false)
            let asked = #"{"userinfo": {"name": {"essential": true}}}"#
            let login = try await party.login(["scope": "openid", "claims": asked], person: "Grace Hopper")
            #expect(Set(try await party.userInfo(login.accessToken).json.keys) == ["sub"])
            let byScope = try await party.login(["scope": "openid profile", "claims": asked], person: "Grace Hopper")
            #expect(try await party.userInfo(byScope.accessToken).string("name") == "Grace Hopper")
        }
    }
}
