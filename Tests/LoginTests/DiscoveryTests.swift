import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Discovery")
struct DiscoveryTests {
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
                    let secrets = ["client_secret_basic", "client_secret_post"]
                    #expect(answer.json["introspection_endpoint_auth_methods_supported"] as? [String] == secrets)
                    #expect(answer.json["revocation_endpoint_auth_methods_supported"] as? [String] == secrets + ["none"])
                    #expect(answer.json["backchannel_logout_supported"] as? Bool == true)
                    #expect(answer.json["backchannel_logout_session_supported"] as? Bool == true)
                    #expect(answer.json["response_types_supported"] as? [String] == ["code"])
                    #expect(
                        answer.json["grant_types_supported"] as? [String] == [
                            "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
                        ])
                    #expect(answer.json["code_challenge_methods_supported"] as? [String] == ["S256"])
                    #expect(answer.json["id_token_signing_alg_values_supported"] as? [String] == ["ES256", "RS256"])
                    #expect(answer.json["subject_types_supported"] as? [String] == ["public"])
                    #expect(
                        answer.json["token_endpoint_auth_methods_supported"] as? [String]
                            == ["client_secret_basic", "client_secret_post", "none"])
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

    @Test("a tenant's keys are its own, public, and the same in every process")
    func keys() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                var seen: Set<String> = []
                for tenant in platform.seeded.tenants {
                    let answer = try await browser.get("\(tenant.issuer)/oauth2/jwks")
                    #expect(answer.status == 200)
                    #expect(answer.headers.first(name: "Cache-Control") == "public, max-age=300")
                    let keys = try #require(answer.json["keys"] as? [[String: String]])
                    // The current key and the next key.
                    #expect(keys.count == 2)
                    for key in keys {
                        #expect(Set(key.keys) == ["kty", "crv", "use", "alg", "kid", "x", "y"])
                        #expect([key["kty"], key["crv"], key["use"], key["alg"]] == ["EC", "P-256", "sig", "ES256"])
                        #expect(seen.insert(key["kid"]!).inserted)
                        #expect(seen.insert(key["x"]!).inserted)
                    }
                    let other = try await browser.get("\(server.address)/t/\(tenant.slug)/oauth2/jwks")
                    #expect(other.json["keys"] as? [[String: String]] == keys)
                }
                #expect(try await browser.get("\(TestPlatform.publicURL)/t/initech/oauth2/jwks").status == 404)
            }
        }
    }

    @Test("a tenant has one first key, for any number of concurrent first requests")
    func firstKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                let found = try await withThrowingTaskGroup(of: [[String: String]]?.self) { tasks in
                    for base in [TestPlatform.publicURL, server.address, TestPlatform.publicURL, server.address] {
                        tasks.addTask { try await browser.get("\(base)/t/acme/oauth2/jwks").json["keys"] as? [[String: String]] }
                    }
                    return try await tasks.reduce(into: Set<[[String: String]]?>()) { $0.insert($1) }
                }
                #expect(found.count == 1)
                #expect(try await platform.count("signing_key") == 2)
            }
        }
    }
}
