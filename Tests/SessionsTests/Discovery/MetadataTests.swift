import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Discovery states exactly the features of this version. Each member is tested, and there are no others.
@Suite("Metadata")
struct MetadataTests {
    enum Member: String, CaseIterable, Sendable {
        case issuer, authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, scopes_supported
        case response_types_supported, response_modes_supported, grant_types_supported, subject_types_supported
        case id_token_signing_alg_values_supported, token_endpoint_auth_methods_supported, code_challenge_methods_supported
        case prompt_values_supported, ui_locales_supported, claims_supported, request_parameter_supported, request_uri_parameter_supported
        case claims_parameter_supported, authorization_response_iss_parameter_supported, introspection_endpoint, revocation_endpoint
        case introspection_endpoint_auth_methods_supported, revocation_endpoint_auth_methods_supported, end_session_endpoint
        case device_authorization_endpoint
        case backchannel_logout_supported, backchannel_logout_session_supported, frontchannel_logout_supported
        case frontchannel_logout_session_supported, token_endpoint_auth_signing_alg_values_supported
        case introspection_endpoint_auth_signing_alg_values_supported, revocation_endpoint_auth_signing_alg_values_supported
        case pushed_authorization_request_endpoint, require_pushed_authorization_requests, dpop_signing_alg_values_supported
        case registration_endpoint
    }

    /// Proves that a member is true.
    private static func prove(_ member: Member, by party: RelyingParty) async throws {
        switch member {
        case .issuer: #expect(try await party.login().idToken["iss"] as? String == party.string("issuer"))
        // A login uses all of them.
        case .authorization_endpoint, .token_endpoint, .jwks_uri: _ = try await party.login()
        case .userinfo_endpoint: #expect(try await party.userInfo(try await party.login().accessToken).status == 200)
        case .scopes_supported:
            let scopes = party.list("scopes_supported")
            let login = try await party.login(["scope": "address \(scopes.reversed().joined(separator: " ")) phone"])
            #expect(login.answer.string("scope") == scopes.joined(separator: " "))
            // There is a refresh token with and without `offline_access`.
            for scope in scopes where scope != "openid" {
                let login = try await party.login(["scope": "openid \(scope)"])
                #expect(!login.refreshToken.isEmpty)
            }
        case .response_types_supported:
            for type in ["code", "token", "id_token", "code id_token", "code token", "none"] {
                let answer = try await party.authorize(["response_type": type])
                #expect((answer.status == 302) == party.list("response_types_supported").contains(type), "\(type)")
            }
        case .response_modes_supported:
            for mode in ["query", "form_post", "fragment", "jwt", "web_message"] {
                let answer = try await party.authorize(["response_mode": mode])
                #expect((answer.status == 302) == party.list("response_modes_supported").contains(mode), "\(mode)")
            }
        case .grant_types_supported:
            for type in [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange", "implicit", "password",
                "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba",
            ] {
                let error = try await party.token([("grant_type", type)]).string("error")
                #expect((error != "unsupported_grant_type") == party.list("grant_types_supported").contains(type), "\(type)")
            }
        case .subject_types_supported:
            // Every application of the tenant knows the user by the same `sub`.
            var subjects: Set<String?> = []
            for application in 0..<3 {
                let other = try await RelyingParty(party.platform, application: application)
                let tokens = try await other.browser.tokens(other.request, person: "Ada Lovelace")
                subjects.insert(try claims(of: tokens["id_token"] as? String)["sub"] as? String)
            }
            #expect(subjects.count == 1)
            #expect(party.list("subject_types_supported") == ["public"])
        case .id_token_signing_alg_values_supported:
            for (application, algorithm) in party.list("id_token_signing_alg_values_supported").enumerated() {
                let other = try await RelyingParty(party.platform, application: application)
                try await other.setSigningAlgorithm(algorithm)
                try await eventually("signed by \(algorithm)") {
                    let tokens = try await other.browser.tokens(other.request)
                    return try jwtHeader(tokens["id_token"] as? String)["alg"] == algorithm
                }
            }
        case .token_endpoint_auth_methods_supported:
            let methods = Set(party.list("token_endpoint_auth_methods_supported"))
            #expect(methods == ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
            let form = [("grant_type", "refresh_token"), ("refresh_token", "x")]
            // An authenticated application gets an error about the token.
            #expect(try await party.token(form).string("error") == "invalid_grant")
            #expect(try await party.token(form, posts: true).string("error") == "invalid_grant")
            #expect(try await RelyingParty(party.platform, application: 1).token(form).string("error") == "invalid_grant")
            let assertion = [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), ("client_assertion", "x"),
            ]
            let answer = try await party.browser.post(party.string("token_endpoint"), form: form + assertion)
            #expect(answer.isOAuthError(401, "invalid_client"))
        case .code_challenge_methods_supported:
            for method in ["S256", "plain"] {
                let answer = try await party.authorize(["code_challenge": party.request.challenge, "code_challenge_method": method])
                #expect((answer.status == 302) == party.list("code_challenge_methods_supported").contains(method), "\(method)")
            }
        case .prompt_values_supported:
            for prompt in ["none", "login", "consent", "select_account", "create", "None"] {
                let error = try await party.authorize(["prompt": prompt])["error"]
                #expect((error != "invalid_request") == party.list("prompt_values_supported").contains(prompt), "\(prompt)")
            }
        case .ui_locales_supported:
            for tag in party.list("ui_locales_supported") + ["tlh", "se"] {
                let page = try await party.authorize(["redirect_uri": "https://evil.test", "ui_locales": tag])
                #expect(page.header("Content-Language") == (party.list("ui_locales_supported").contains(tag) ? tag : "en"), "\(tag)")
            }
        case .claims_supported:
            let named = Set(party.list("claims_supported"))
            let login = try await party.login(person: "Grace Hopper")
            #expect(named.isSuperset(of: login.idToken.keys))
            let info = try await party.userInfo(login.accessToken)
            #expect(named.isSuperset(of: info.json.keys))
        case .request_parameter_supported:
            #expect(party.metadata["request_parameter_supported"] as? Bool == false)
            #expect(try await party.authorize(["request": "x"])["error"] == "request_not_supported")
        case .request_uri_parameter_supported:
            #expect(party.metadata["request_uri_parameter_supported"] as? Bool == false)
            #expect(try await party.authorize(["request_uri": "urn:x"])["error"] == "request_uri_not_supported")
        case .claims_parameter_supported:
            #expect(party.metadata["claims_parameter_supported"] as? Bool == false)
            let login = try await party.login(["scope": "openid", "claims": #"{"id_token":{"email":{"essential":true}}}"#])
            #expect(login.idToken["email"] == nil)
        case .authorization_response_iss_parameter_supported:
            #expect(party.metadata["authorization_response_iss_parameter_supported"] as? Bool == true)
            #expect(try await party.signIn()["iss"] == party.string("issuer"))
            #expect(try await party.signIn(person: "cancel")["iss"] == party.string("issuer"))
            #expect(try await party.authorize(["prompt": "none"])["iss"] == party.string("issuer"))
        case .introspection_endpoint, .introspection_endpoint_auth_methods_supported:
            #expect(
                party.list("introspection_endpoint_auth_methods_supported") == [
                    "client_secret_basic", "client_secret_post", "private_key_jwt",
                ])
            let login = try await party.login()
            for posts in [false, true] {
                let reported = try await party.call("introspection_endpoint", [("token", login.accessToken)], posts: posts)
                #expect(reported.json["active"] as? Bool == true)
            }
        case .revocation_endpoint, .revocation_endpoint_auth_methods_supported:
            #expect(
                party.list("revocation_endpoint_auth_methods_supported")
                    == ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
            for (application, posts) in [(2, false), (2, true), (1, true)] {
                let other = try await RelyingParty(party.platform, application: application)
                let tokens = try await other.browser.tokens(other.request)
                let refresh = tokens["refresh_token"] as? String ?? ""
                #expect(try await other.call("revocation_endpoint", [("token", refresh)], posts: posts).status == 200)
                #expect(try await other.token([("grant_type", "refresh_token"), ("refresh_token", refresh)]).status == 400)
            }
        // PrivateKeyJWTTests authenticates with each of them, at each endpoint.
        case .token_endpoint_auth_signing_alg_values_supported, .introspection_endpoint_auth_signing_alg_values_supported,
            .revocation_endpoint_auth_signing_alg_values_supported:
            #expect(party.list(member.rawValue) == ["ES256", "RS256", "PS256"])
        case .pushed_authorization_request_endpoint, .require_pushed_authorization_requests:
            #expect(party.metadata["require_pushed_authorization_requests"] as? Bool == false)
            let pushed = try await party.call(
                "pushed_authorization_request_endpoint", party.request.parameters.filter { $0.0 != "client_id" }, posts: true)
            let uri = pushed.string("request_uri") ?? ""
            let answer = try await party.browser.get(
                TestBrowser.Request.url(
                    party.string("authorization_endpoint"), [("client_id", party.request.application.client_id), ("request_uri", uri)]))
            #expect(answer.status == 302)
        case .dpop_signing_alg_values_supported:
            #expect(party.list(member.rawValue) == ["ES256", "RS256", "PS256"])
            for algorithm in party.list(member.rawValue) {
                let proof = try ClientKey(nil, algorithm).proof(party.string("token_endpoint"), nonce: nil)
                let answer = try await party.browser.post(
                    party.string("token_endpoint"), form: [("grant_type", "refresh_token")], headers: [("DPoP", proof)])
                #expect(answer.isOAuthError(400, "use_dpop_nonce"))
            }
        case .end_session_endpoint:
            let login = try await party.login()
            let page = try await party.browser.get(
                "\(party.string("end_session_endpoint"))?id_token_hint=\(login.answer.string("id_token") ?? "")")
            #expect(page.status == 200)
            #expect(try await party.userInfo(login.accessToken).status == 401)
        // AuthorizeDeviceTests calls it.
        case .device_authorization_endpoint:
            #expect(
                try await party.browser.post(party.string("device_authorization_endpoint"), form: []).isOAuthError(401, "invalid_client"))
        case .registration_endpoint:
            let issued = try await party.platform.call("POST", "/tenants/acme/initial-access-tokens", ["name": "Partner"])
            let answer = try await party.browser.send(
                "POST", party.string("registration_endpoint"),
                headers: [("Authorization", "Bearer \(issued.string("secret") ?? "")"), ("Content-Type", "application/json")],
                body: #"{"redirect_uris": ["https://app.test/callback"]}"#)
            #expect(answer.status == 201, "\(answer.body)")
        case .frontchannel_logout_supported, .frontchannel_logout_session_supported:
            // `FrontchannelLogoutTests` proves that the address is loaded with the session.
            #expect(party.metadata[member.rawValue] as? Bool == true)
            let path = "/tenants/acme/applications/\(party.request.application.client_id)"
            let uri = "\(party.request.redirectURI)/out"
            let changed = try await party.platform.call("PATCH", path, ["frontchannel_logout_uri": uri])
            #expect(changed.string("frontchannel_logout_uri") == uri)
        case .backchannel_logout_supported, .backchannel_logout_session_supported:
            // `DeliverLogoutTokenTests` proves that the logout token arrives and names the session.
            #expect(party.metadata[member.rawValue] as? Bool == true)
            let path = "/tenants/acme/applications/\(party.request.application.client_id)"
            let changed = try await party.platform.call("PATCH", path, ["backchannel_logout_uri": "https://app.example/logout"])
            #expect(changed.string("backchannel_logout_uri") == "https://app.example/logout")
        }
    }

    @Test("there is no other member")
    func members() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(Set(party.metadata.keys) == Set(Member.allCases.map(\.rawValue)))
        }
    }

    @Test("each member is true", arguments: Member.allCases)
    func truth(of member: Member) async throws {
        try await TestPlatform.run { platform in try await Self.prove(member, by: try await RelyingParty(platform)) }
    }
}
