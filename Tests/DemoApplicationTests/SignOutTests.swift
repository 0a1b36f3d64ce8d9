import Testing

@Suite("sign-out")
struct SignOutTests {
    @Test("ends the browser's session, and redirects to the provider with the id_token and the return address")
    func signOut() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            let page = try await demo.signIn(in: browser)
            // A browser also applies the page's policy to the redirect.
            let origin = demo.issuer.replacing("/t/acme", with: "")
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' \(origin);") == true)
            let location = try #require(try await browser.post("/session/sign-out").location)
            #expect(location.hasPrefix("\(demo.issuer)/logout?"))
            let query = FakeProvider.fields(String(location.split(separator: "?").last ?? ""))
            #expect(Set(query.keys) == ["id_token_hint", "post_logout_redirect_uri"])
            #expect(query["id_token_hint"]?.split(separator: ".").count == 3)
            #expect(query["post_logout_redirect_uri"] == "\(Demo.publicURL)/")
            #expect(try await browser.get("/session").location == "/")
            #expect(try await browser.post("/session/sign-out").location == "/")
        }
    }

    @Test("a browser without a sign-in is redirected to the first page")
    func nobody() async throws {
        try await withDemo { demo in
            let answer = try await demo.browser.post("/session/sign-out")
            #expect(answer.location == "/")
        }
    }

    @Test("a link or an image on another site cannot sign out")
    func get() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            #expect(try await browser.get("/session/sign-out").status >= 400)
            #expect(try await browser.get("/session").status == 200)
        }
    }
}
