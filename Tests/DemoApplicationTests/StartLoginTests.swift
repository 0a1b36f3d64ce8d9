import Testing

@Suite("start of a sign-in")
struct StartLoginTests {
    @Test("redirects the browser to the tenant with state, nonce and a PKCE challenge")
    func redirect() async throws {
        try await withDemo { demo in
            let page = try await demo.browser.get("/login/acme")
            #expect(page.status == 303)
            let location = try #require(page.location)
            #expect(location.hasPrefix("\(demo.issuer)/authorize?"))
            let query = FakeProvider.fields(String(location.split(separator: "?")[1]))
            #expect(query["response_type"] == "code")
            #expect(query["client_id"] == "acme-web")
            #expect(query["redirect_uri"] == "https://demo.example/callback/acme")
            #expect(query["scope"]?.split(separator: " ").contains("openid") == true)
            #expect(query["code_challenge_method"] == "S256")
            for name in ["state", "nonce", "code_challenge"] { #expect(query[name]?.count == 43) }
        }
    }

    @Test("stores its secrets in a session that only the browser's cookie names")
    func cookie() async throws {
        try await withDemo { demo in
            let cookie = try #require(try await demo.browser.get("/login/acme").setCookie)
            for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"] { #expect(cookie.contains(attribute)) }
        }
    }

    @Test("a tenant whose discovery names another issuer is not used")
    func otherIssuer() async throws {
        try await withDemo { demo in
            demo.provider.change { $0.issuer = "https://other.example" }
            let page = try await demo.browser.get("/login/acme")
            #expect(page.status == 400)
            #expect(page.location == nil)
        }
    }
}
