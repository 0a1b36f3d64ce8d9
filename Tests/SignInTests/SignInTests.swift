import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A complete login over HTTP.
@Suite("Signing in")
struct SignInTests {
    @Test("a person signs in for a tenant, the application gets tokens, and one usage event is added", arguments: [0, 1])
    func wholeLogin(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let tenant = platform.seeded.tenants[number]
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(tenant)
            let tokens = try await browser.tokens(request, person: "Ada Lovelace")
            #expect(tokens["token_type"] as? String == "Bearer")
            #expect(tokens["expires_in"] as? Int == 3600)
            #expect(tokens["scope"] as? String == "openid profile email")

            let access = try #require(tokens["access_token"] as? String)
            let user = try await browser.get("\(tenant.issuer)/oauth2/userinfo", headers: [("Authorization", "Bearer \(access)")]).json
            #expect(user["name"] as? String == "Ada Lovelace")
            #expect(user["email_verified"] as? Bool == true)

            let usage = try await browser.get(
                "\(TestPlatform.publicURL)/v1/tenants/\(tenant.slug)/usage",
                headers: [("Authorization", "Bearer \(tenant.api_keys[0].secret)")])
            #expect(usage.status == 200)
            #expect(usage.json["logins"] as? Int == 1)
        }
    }
}
