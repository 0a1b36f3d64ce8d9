import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The tokens that an application on a device gets for the response of Apple's framework.
@Suite("Native callback")
struct NativeCallbackTests {
    @Test("a native sign-in gives tokens, a name, a session that names the device, and one usage event", arguments: [0, 1])
    func wholeLogin(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform, tenant: number)
            let credential = try await phone.authorize("Ada Lovelace")
            let answer = try await phone.send(credential.body, headers: [("User-Agent", "Example/1.0 (iPhone)")])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "id_token", "scope"])
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.string("token_type") == "Bearer")
            #expect(answer.string("scope") == "openid profile email")

            let ours = try claims(of: answer.string("id_token"))
            #expect(ours["iss"] as? String == phone.tenant.issuer)
            #expect(ours["aud"] as? String == phone.application.client_id)
            #expect(ours["nonce"] as? String == credential.nonce)
            #expect(ours["real_user_status"] as? Int == 2)
            #expect(ours["name"] as? String == "Ada Lovelace")
            let info = try await TestBrowser(platform).userInfo(answer.string("access_token"), of: phone.tenant)
            #expect(info.string("name") == "Ada Lovelace")
            #expect(info.json["email_verified"] as? Bool == true)

            let session = try await platform.call("GET", "/tenants/\(phone.tenant.slug)/sessions").elements.first
            #expect(session?["id"] as? String == ours["sid"] as? String)
            #expect(try await platform.count("session", where: "user_agent = 'Example/1.0 (iPhone)' AND address = '127.0.0.1'") == 1)
            let connection = number == 0 ? "own" : "shared"
            #expect(try await platform.countBilled(where: "kind = 'login' AND connection = '\(connection)'") == 1)
            #expect(try await platform.countBilled() == 1)
            // The deletion must name the client that received the grant.
            let stored = "sealed_refresh_token IS NOT NULL AND apple_client_id = '\(phone.bundleID)'"
            #expect(try await platform.count("identity", where: stored) == 1)

            var request = TestBrowser.Request(phone.tenant, application: 1)
            request.scope = "openid"
            let refreshed = try await TestBrowser(platform).refresh(answer.string("refresh_token") ?? "", request)
            #expect(refreshed.status == 200)
        }
    }

    @Test("an application of a third party gets tokens only after its user has allowed it in a browser, for as many scopes")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let path = "/tenants/acme/applications/\(phone.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            func signIn(_ scope: String) async throws -> TestBrowser.Answer {
                try await phone.send(try await phone.authorize("Ada Lovelace").body.merging(["scope": scope]) { $1 })
            }
            #expect(try await signIn("openid").isOAuthError(400, "unauthorized_client"))
            for table in ["session", "consent"] { #expect(try await platform.count(table) == 0, "\(table)") }
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme, application: 1))
            let toApple = try await browser.get(request.authorizeURL(changing: ["scope": "openid email"]))
            let page = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
            #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            #expect(try await browser.decide(.allow, on: page)["code"] != nil)
            #expect(try await signIn("openid email").status == 200)
            #expect(try await signIn("openid email profile").isOAuthError(400, "unauthorized_client"))
            try await platform.revokeConsent()
            #expect(try await signIn("openid").isOAuthError(400, "unauthorized_client"))
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("Apple sends name and status only the first time: the user and the name stay, and the claim is absent")
    func again() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let first = try await phone.send(try await phone.authorize("Ada Lovelace").body)
            let credential = try await phone.authorize("Ada Lovelace")
            #expect(credential.name == nil)
            // Without a code, Apple's first refresh token stays.
            let second = try await phone.send(["id_token": credential.idToken, "nonce": credential.nonce!])
            let (one, other) = (try claims(of: first.string("id_token")), try claims(of: second.string("id_token")))
            #expect(one["sub"] as? String == other["sub"] as? String)
            #expect(other["name"] as? String == "Ada Lovelace")
            #expect(other["real_user_status"] == nil)
            #expect(one["sid"] as? String != other["sid"] as? String)
            #expect(try await platform.countBilled() == 2)
            #expect(
                try await platform.count(
                    "identity", where: "sealed_refresh_token IS NOT NULL AND apple_client_id = '\(phone.bundleID)'") == 1)
        }
    }

    @Test("the user of the web and the user of the device are one, because Apple's sub is the same")
    func sameUserAsOnTheWeb() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let web = try claims(
                of: try await TestBrowser(platform).tokens(.init(platform.acme), person: "Grace Hopper")["id_token"] as? String)
            let native = try claims(of: try await phone.send(try await phone.authorize("Grace Hopper").body).string("id_token"))
            #expect(web["sub"] as? String == native["sub"] as? String)
            #expect(native["name"] as? String == "Grace Hopper")
        }
    }

    @Test("a name is an object or Apple's string; an invalid name does not stop the sign-in; its email address is ignored")
    func user() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let name = ["firstName": "Zoë", "lastName": "Quux"]
            let text = #"{"name":{"firstName":"Zoë","lastName":"Quux"},"email":"eve@evil.test"}"#
            let cases: [(any Sendable, String?)] = [
                (["name": name, "email": "eve@evil.test"] as [String: any Sendable], "Zoë Quux"), (text, "Zoë Quux"),
                (["name": ["firstName": "Zoë"]], "Zoë"), ("{", nil), ("", nil), ([:] as [String: String], nil), (["name": "Zoë"], nil),
            ]
            for (user, expected) in cases {
                let answer = try await phone.send(try await phone.authorize().body.merging(["user": user]) { $1 })
                let ours = try claims(of: answer.string("id_token"))
                #expect(answer.status == 200, "\(user): \(answer.body)")
                #expect(ours["name"] as? String == expected, "\(user)")
                #expect(ours["email"] as? String != "eve@evil.test")
            }
        }
    }

    @Test("scopes are granted as requested, and without openid there is no id_token")
    func scope() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            for (asked, granted) in [
                ("email openid", "openid email"), ("profile unheard-of", "profile"), ("", "openid profile email"),
                ("  ", "openid profile email"),
            ] {
                let answer = try await phone.send(try await phone.authorize().body.merging(["scope": asked]) { $1 })
                #expect(answer.string("scope") == granted)
                #expect((answer.string("id_token") != nil) == granted.contains("openid"))
            }
            // The authorization endpoint has the same rule.
            for asked in ["unheard-of", "OPENID", "openid\u{301}"] {
                let answer = try await phone.send(try await phone.authorize().body.merging(["scope": asked]) { $1 })
                #expect(answer.isOAuthError(400, "invalid_scope"), "\(asked)")
            }
        }
    }

    @Test("the bundle ID selects the application; if two applications have it, the request must name one")
    func whichApplication() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let other = phone.tenant.applications[0]
            // The web application becomes a second application with the same bundle ID.
            try await platform.setBundleIDs([phone.bundleID, phone.otherBundleID], of: other)
            #expect(try await phone.send(try await phone.authorize().body).isOAuthError(400, "invalid_request"))
            for application in [phone.application, other] {
                let body = try await phone.authorize().body.merging(["client_id": application.client_id]) { $1 }
                #expect(try claims(of: try await phone.send(body).string("id_token"))["aud"] as? String == application.client_id)
            }
            let only = try await phone.authorize(as: phone.otherBundleID)
            #expect(try claims(of: try await phone.send(only.body).string("id_token"))["aud"] as? String == other.client_id)
        }
    }

    @Test("at the platform's callback, the client ID selects the tenant", arguments: [0, 1])
    func sharedCallback(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform, tenant: number)
            let url = "\(TestPlatform.publicURL)/auth/apple/callback"
            let body = try await phone.authorize().body
            #expect(try await phone.send(body, to: url).isOAuthError(400, "invalid_request"))
            for client in ["app_00000000000000000000000000", "x"] {
                let named = body.merging(["client_id": client]) { $1 }
                #expect(try await phone.send(named, to: url).isOAuthError(401, "invalid_client"))
                #expect(try await phone.send(named).isOAuthError(401, "invalid_client"))
            }
            let named = body.merging(["client_id": phone.application.client_id]) { $1 }
            let answer = try await phone.send(named, to: url)
            #expect(try claims(of: answer.string("id_token"))["iss"] as? String == phone.tenant.issuer, "\(answer.body)")
        }
    }

    @Test("a suspended or unknown tenant is refused")
    func noTenant() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let body = try await phone.authorize().body.merging(["client_id": phone.application.client_id]) { $1 }
            #expect(try await phone.send(body, to: "\(TestPlatform.publicURL)/t/initech/auth/apple/callback").status == 404)
            // Suspend the tenant before any process has read it.
            try await platform.suspend(phone.tenant)
            #expect(try await phone.send(body).status == 404)
            let answer = try await phone.send(body, to: "\(TestPlatform.publicURL)/auth/apple/callback")
            #expect(answer.isOAuthError(401, "invalid_client"))
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("an unreadable request is refused with the name of the field")
    func unreadable() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let browser = TestBrowser(platform)
            let json = ("Content-Type", "application/json")
            for (body, field) in [
                ("", ""), ("{", ""), ("[]", ""), ("{}", "id_token"), (#"{"id_token":1}"#, "id_token"), (#"{"id_token":""}"#, "id_token"),
                (#"{"id_token":"x","nonce":1}"#, "nonce"), (#"{"id_token":"x","code":""}"#, "code"),
                (#"{"id_token":"x","user":1}"#, "user"),
                (#"{"id_token":"x","id_token":"y"}"#, ""), (#"{"id_token":"x","identityToken":"y"}"#, "identityToken"),
                (#"{"id_token":"x","\"\\é\n":"y"}"#, ""),
                (#"{"id_token":"x","nonce":"\#(String(repeating: "n", count: 513))"}"#, "nonce"),
            ] {
                let answer = try await browser.send("POST", phone.callback, headers: [json], body: body)
                #expect(answer.isOAuthError(400, "invalid_request"), "\(body): \(answer.body)")
                let description = answer.string("error_description") ?? ""
                #expect(field.isEmpty || description.contains(field), "\(body): \(description)")
                // The characters that RFC 6749, section 5.2 allows.
                #expect(description.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" })
            }
            #expect(try await phone.send(["id_token": String(repeating: "x", count: 65 * 1024)]).status == 413)
            for url in [phone.callback, "\(TestPlatform.publicURL)/auth/apple/callback"] {
                for type in [nil, "text/plain", "application/jsonp", "multipart/form-data"] {
                    let answer = try await browser.send("POST", url, headers: type.map { [("Content-Type", $0)] } ?? [], body: "{}")
                    #expect(answer.status == 415, "\(type ?? "none")")
                    #expect(answer.problem == "unsupported_media_type")
                }
                let answer = try await browser.send("POST", url, headers: [("Content-Type", "Application/JSON; charset=utf-8")], body: "{}")
                #expect(answer.isOAuthError(400, "invalid_request"))
            }
        }
    }

    @Test("a first sign-in with the address of another user creates a user, although the tenant asks in browsers")
    func sameAddress() async throws {
        try await Linking.run(["account_linking": "ask"]) { linking in
            let phone = try await Phone.make(linking.platform)
            let login = try await phone.login(linking.second, withCode: true)
            #expect(!login.user.isEmpty && login.user != linking.owner.user)
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.count("tenant_user") == 2)
            // A browser does not ask about an identity that has a user.
            #expect(try await linking.platform.login(linking.second).user == login.user)
        }
    }
}
