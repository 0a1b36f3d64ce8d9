import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("OpenID configuration")
struct OpenIDConfigurationTests {
    @Test("a tenant's metadata contains its issuer, its endpoints and the features of this version")
    func metadata() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            for tenant in platform.seeded.tenants {
                for url in [
                    "\(tenant.issuer)/.well-known/openid-configuration", "\(tenant.issuer)/.well-known/oauth-authorization-server",
                    // The paths of RFC 8414, section 3.
                    "\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/t/\(tenant.slug)",
                    "\(TestPlatform.publicURL)/.well-known/openid-configuration/t/\(tenant.slug)",
                ] {
                    let answer = try await browser.get(url)
                    #expect(answer.status == 200)
                    #expect(answer.string("issuer") == tenant.issuer)
                    #expect(answer.string("authorization_endpoint") == "\(tenant.issuer)/oauth2/authorize")
                    #expect(answer.string("token_endpoint") == "\(tenant.issuer)/oauth2/token")
                    #expect(answer.string("userinfo_endpoint") == "\(tenant.issuer)/oauth2/userinfo")
                    #expect(answer.string("jwks_uri") == "\(tenant.issuer)/oauth2/jwks")
                    #expect(answer.string("introspection_endpoint") == "\(tenant.issuer)/oauth2/introspect")
                    #expect(answer.string("revocation_endpoint") == "\(tenant.issuer)/oauth2/revoke")
                    #expect(answer.string("end_session_endpoint") == "\(tenant.issuer)/oauth2/logout")
                    #expect(answer.string("registration_endpoint") == "\(tenant.issuer)/oauth2/register")
                    let secrets = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
                    #expect(answer.json["introspection_endpoint_auth_methods_supported"] as? [String] == secrets)
                    #expect(answer.json["revocation_endpoint_auth_methods_supported"] as? [String] == secrets + ["none"])
                    #expect(answer.json["backchannel_logout_supported"] as? Bool == true)
                    #expect(answer.json["backchannel_logout_session_supported"] as? Bool == true)
                    #expect(answer.json["response_types_supported"] as? [String] == ["code"])
                    #expect(
                        answer.json["grant_types_supported"] as? [String] == [
                            "authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange",
                            "urn:ietf:params:oauth:grant-type:device_code",
                        ])
                    #expect(answer.json["code_challenge_methods_supported"] as? [String] == ["S256"])
                    #expect(answer.json["id_token_signing_alg_values_supported"] as? [String] == ["ES256", "RS256"])
                    #expect(answer.json["subject_types_supported"] as? [String] == ["public"])
                    #expect(
                        answer.json["token_endpoint_auth_methods_supported"] as? [String]
                            == secrets + ["none"])
                    for endpoint in ["token", "introspection", "revocation"] {
                        #expect(
                            answer.json["\(endpoint)_endpoint_auth_signing_alg_values_supported"] as? [String] == [
                                "ES256", "RS256", "PS256",
                            ])
                    }
                    #expect(answer.json["authorization_response_iss_parameter_supported"] as? Bool == true)
                    // Members whose default is wrong are stated explicitly.
                    #expect(answer.json["request_uri_parameter_supported"] as? Bool == false)
                    #expect(answer.json["request_parameter_supported"] as? Bool == false)
                    #expect(answer.headers.first(name: "Cache-Control") == "public, max-age=300")
                }
            }
            #expect(try await browser.get("\(TestPlatform.publicURL)/t/initech/.well-known/openid-configuration").status == 404)
            #expect(try await browser.get("\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/t/initech").status == 404)
            #expect(try await browser.get("\(TestPlatform.publicURL)/.well-known/openid-configuration/t/initech").status == 404)
        }
    }

    @Test("every claim of an id_token is in the metadata")
    func claimsSupported() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let answer = try await browser.get("\(platform.acme.issuer)/.well-known/openid-configuration")
            let named = Set(try #require(answer.json["claims_supported"] as? [String]))
            let token = try claims(of: try await browser.tokens(.init(platform.acme))["id_token"] as? String)
            // The two other claims are present only in some cases.
            #expect(named == Set(token.keys).union(["email_disabled", "real_user_status"]))
        }
    }
}
