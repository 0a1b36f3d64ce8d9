@testable import Accounts
@testable import Encoding
import Foundation
import Server
@testable import Sessions
@testable import SignIn
@testable import Signing
import TestSupport
import Testing
@testable import Users
import Web

/// Token exchange (RFC 8693) of Apple's id_token, as an OAuth library requests it.
@Suite("Exchange token")
struct ExchangeTokenTests {
    @Test("an Apple id_token is exchanged for Espalier's tokens, and billed as one login", arguments: [0, 1])
    func exchange(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform, tenant: number)
            let credential = try await phone.authorize("Ada Lovelace")
            let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"}}"#
            let answer = try await phone.exchange(credential, changing: ["user": user])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.string("issued_token_type") == "urn:ietf:params:oauth:token-type:access_token")
            #expect(answer.string("token_type") == "Bearer")
            #expect(answer.string("scope") == "openid profile email")
            #expect(answer.header("Cache-Control") == "no-store")
            let ours = try claims(of: answer.string("id_token"))
            #expect(ours["name"] as? String == "Ada Lovelace")
            #expect(ours["real_user_status"] as? Int == 2)
            #expect(ours["nonce"] as? String == credential.nonce)
            #expect(try await platform.countBilled(where: "kind = 'login'") == 1)
            let stored = "sealed_refresh_token IS NOT NULL AND apple_client_id = '\(phone.bundleID)'"
            #expect(try await platform.count("identity", where: stored) == 1)
            let request = TestBrowser.Request(phone.tenant, application: 1)
            #expect(try await TestBrowser(platform).refresh(answer.string("refresh_token") ?? "", request).status == 200)
        }
    }

    @Test("a credential that was sent to the callback is refused here; the first request's tokens stay valid")
    func onceAtBoth() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let first = try await phone.exchange(credential)
            #expect(first.status == 200)
            #expect(try await phone.send(credential.body).isOAuthError(400, "invalid_grant"))
            // RFC 8693, section 2.2.2: an unaccepted token is an invalid request here.
            #expect(try await phone.exchange(credential).isOAuthError(400, "invalid_request"))
            #expect(try await TestBrowser(platform).userInfo(first.string("access_token"), of: phone.tenant).status == 200)
        }
    }

    @Test("every other parameter is granted or refused, never ignored")
    func parameters() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let type = "urn:ietf:params:oauth:token-type:"
            for (changes, error) in [
                (["subject_token": nil], "invalid_request"), (["subject_token": "x"], "invalid_request"),
                (["subject_token_type": nil], "invalid_request"), (["subject_token_type": "\(type)access_token"], "invalid_request"),
                (["requested_token_type": "\(type)saml2"], "invalid_request"), (["actor_token": "x"], "invalid_request"),
                (["actor_token_type": "\(type)jwt"], "invalid_request"), (["resource": "https://api.test"], "invalid_target"),
                (["audience": "acme"], "invalid_target"), (["audience": platform.globex.issuer], "invalid_target"),
                (["nonce": nil], "invalid_request"), (["nonce": "x"], "invalid_request"), (["scope": "phone"], "invalid_scope"),
                (["nonce": String(repeating: "n", count: 513)], "invalid_request"), (["code": "made-up"], "invalid_request"),
            ] as [([String: String?], String)] {
                let answer = try await phone.exchange(credential, changing: changes)
                #expect(answer.isOAuthError(400, error), "\(changes): \(answer.body)")
            }
            #expect(try await platform.count("session") == 0)
            let answer = try await phone.exchange(
                credential,
                changing: [
                    "requested_token_type": "\(type)access_token", "audience": phone.tenant.issuer, "resource": phone.tenant.issuer,
                    "scope": "openid",
                ])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.string("scope") == "openid")
        }
    }

    @Test("only a native application with a bundle ID of the connection may exchange a token")
    func whoMay() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            for client in [nil, "x", platform.globex.applications[1].client_id] {
                #expect(try await phone.exchange(credential, changing: ["client_id": client]).isOAuthError(401, "invalid_client"))
            }
            let web = platform.acme.applications[0]
            #expect(try await phone.exchange(credential, changing: ["client_id": web.client_id]).isOAuthError(401, "invalid_client"))
            let authenticated = try await phone.exchange(
                credential, changing: ["client_id": web.client_id, "client_secret": web.client_secret])
            #expect(authenticated.isOAuthError(400, "unauthorized_client"))
            let metrics = platform.installation.metrics.text
            #expect(metrics.contains(#"espalier_logins_total{step="native",outcome="not_native"} 1"#))
            #expect(metrics.contains(#"espalier_logins_total{step="native",outcome="invalid_client"} 4"#))
        }
    }

    @Test("an application without a bundle ID exchanges nothing")
    func withoutBundleID() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            try await platform.setBundleIDs([], of: phone.application)
            #expect(try await phone.exchange(try await phone.authorize()).isOAuthError(400, "unauthorized_client"))
        }
    }
}
