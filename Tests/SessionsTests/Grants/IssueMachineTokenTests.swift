import APIs
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Issue machine token")
struct IssueMachineTokenTests {
    @Test("a machine gets an access token for the one API that lists it, without a session, and it is not billed")
    func issues() async throws {
        try await TestPlatform.run { platform in
            let machine = try await platform.resourceServer()
            try await platform.createAPI(
                "https://orders.test", scopes: ["orders:read", "orders:write"], for: [machine.id: nil], seconds: 900)
            let answer = try await platform.machineToken(machine)
            #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store", "\(answer.body)")
            #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "scope"])
            #expect(answer.json["expires_in"] as? Int == 900 && answer.string("scope") == "orders:read orders:write")

            let token = answer.string("access_token") ?? ""
            #expect(try jwtHeader(token)["typ"] == "at+jwt")
            let said = try claims(of: token)
            #expect(Set(said.keys) == ["iss", "aud", "sub", "client_id", "tid", "iat", "exp", "jti", "scope", "user_type"])
            #expect(said["iss"] as? String == platform.acme.issuer && said["aud"] as? String == "https://orders.test")
            #expect(said["sub"] as? String == machine.id && said["client_id"] as? String == machine.id)
            #expect(said["user_type"] as? String == "machine")
            #expect((said["exp"] as? Int ?? 0) - (said["iat"] as? Int ?? 0) == 900)
            #expect(try await platform.countBilled() == 0)
            #expect(try await platform.call("GET", "/tenants/acme/sessions").data.isEmpty)
        }
    }

    @Test("the token acts for nobody at Espalier, and cannot be revoked; introspection knows it until the API lists the machine no longer")
    func uses() async throws {
        try await TestPlatform.run { platform in
            let (machine, other) = (try await platform.resourceServer(), try await platform.resourceServer())
            let api = try await platform.createAPI("https://orders.test", scopes: ["orders:read"], for: [machine.id: nil])
            let token = try await platform.machineToken(machine).string("access_token") ?? ""
            let browser = TestBrowser(platform)
            #expect(try await browser.userInfo(token, of: platform.acme).status == 401)
            let me = "\(platform.acme.issuer)/users/me"
            #expect(try await browser.send("DELETE", me, headers: [("Authorization", "Bearer \(token)")], body: nil).status == 401)
            #expect(try await platform.revoke(token, as: machine).isOAuthError(400, "unsupported_token_type"))

            let said = try claims(of: token)
            for caller in [machine, other] {
                let shown = try await platform.introspect(token, as: caller)
                #expect(
                    Set(shown.json.keys) == ["active", "scope", "client_id", "token_type", "exp", "iat", "sub", "aud", "iss", "jti", "tid"])
                for name in ["scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "tid"] {
                    #expect("\(shown.json[name]!)" == "\(said[name]!)", "\(name)")
                }
            }
            // A web application sees only its own tokens.
            #expect(try await platform.introspect(token, as: Credentials(platform.acme.applications[0])).isInactive)
            #expect(try await platform.call("PATCH", api, ["applications": [String]()]).status == 200)
            try await eventually("the permission has ended") { try await platform.introspect(token, as: other).isInactive }
        }
    }

    @Test("scope selects permitted scopes; each other one is refused")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let machine = try await platform.resourceServer()
            try await platform.createAPI(
                "https://orders.test", scopes: ["orders:read", "orders:write", "orders:delete"],
                for: [machine.id: ["orders:read", "orders:write"]])
            for (asked, granted) in [("orders:write", "orders:write"), ("orders:write orders:read", "orders:read orders:write")] {
                #expect(try await platform.machineToken(machine, scope: asked).string("scope") == granted)
            }
            for asked in [
                "orders:delete", "openid", "orders:read orders:delete", "orders:read\u{301}", "orders:read\u{200D}", "orders:read\u{600}",
                "orders:read\u{A0}orders:write",
            ] {
                #expect(try await platform.machineToken(machine, scope: asked).isOAuthError(400, "invalid_scope"), "\(asked)")
            }
        }
    }

    @Test("without a permission, with an unclear target or as another kind, there is no token")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let (machine, other) = (try await platform.resourceServer(), try await platform.resourceServer())
            let none = try await platform.machineToken(machine)
            #expect(none.isOAuthError(400, "unauthorized_client") && none.string("error_description")?.contains("apis update") == true)
            try await platform.createAPI("https://orders.test", for: [machine.id: nil])
            try await platform.createAPI("https://bills.test", for: [machine.id: nil])
            let unclear = try await platform.machineToken(machine)
            #expect(unclear.isOAuthError(400, "invalid_target"))
            #expect(unclear.string("error_description")?.contains("https://orders.test, https://bills.test") == true)
            let named = try await platform.machineToken(machine, resources: ["https://bills.test"])
            #expect(try claims(of: named.string("access_token"))["aud"] as? String == "https://bills.test")
            #expect(named.string("scope") == nil)

            for resources in [
                ["https://x.test"], [platform.acme.issuer], ["https://orders.test", "https://bills.test"], ["https://orders.test/"],
                ["https://orders.test\u{301}"],
            ] {
                let answer = try await platform.machineToken(machine, resources: resources)
                #expect(answer.isOAuthError(400, "invalid_target"), "\(resources): \(answer.body)")
            }
            #expect(try await platform.machineToken(other, resources: ["https://orders.test"]).isOAuthError(400, "invalid_target"))
            for application in platform.acme.applications {
                #expect(try await platform.machineToken(Credentials(application)).isOAuthError(400, "unauthorized_client"))
            }
            let wrong = Credentials(id: machine.id, secret: "wrong")
            #expect(try await platform.machineToken(wrong).isOAuthError(401, "invalid_client"))
        }
    }

    @Test("another tenant's API with the same audience gives no token")
    func otherTenant() async throws {
        try await TestPlatform.run { platform in
            let machine = try await platform.resourceServer()
            _ = try await platform.call("POST", "/tenants/globex/apis", ["name": "Orders", "audience": "https://orders.test"])
            #expect(try await platform.machineToken(machine, resources: ["https://orders.test"]).isOAuthError(400, "invalid_target"))
        }
    }
}

extension TestPlatform {
    /// Creates an API of Acme.
    /// - Parameter applications: the permitted scopes by application; nil for all.
    /// - Returns: the path of the API.
    @discardableResult
    func createAPI(
        _ audience: String, scopes: [String] = [], for applications: [String: [String]?] = [:], seconds: Int = 3600
    ) async throws -> String {
        let permissions = applications.map { id, scopes in
            ["id": id as any Sendable].merging(scopes.map { ["scopes": $0 as any Sendable] } ?? [:]) { $1 }
        }
        let made = try await call(
            "POST", "/tenants/acme/apis",
            ["name": "API", "audience": audience, "scopes": scopes, "applications": permissions, "access_token_seconds": seconds])
        #expect(made.status == 201, "\(made.body)")
        installation.apis.forgetAll(isFresh: true)
        return "/tenants/acme/apis/\(made.resourceID)"
    }

    func machineToken(_ machine: Credentials, scope: String? = nil, resources: [String] = []) async throws -> TestBrowser.Answer {
        let form = [("grant_type", "client_credentials")] + (scope.map { [("scope", $0)] } ?? []) + resources.map { ("resource", $0) }
        return try await TestBrowser(self).post("\(acme.issuer)/oauth2/token", form: form + machine.form)
    }
}
