import Testing

@Suite("refresh of the tokens")
struct RefreshTokensTests {
    @Test("replaces them and shows the rotation of the refresh token")
    func refresh() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            for generation in 0...1 {
                let answer = try await browser.post("/session/refresh")
                #expect(answer.status == 303)
                #expect(demo.provider.current.tokenRequests.last?["refresh_token"] == FakeProvider.refreshToken(generation))
            }
            let page = try await browser.get("/session")
            #expect(page.text.contains("Refreshed 2 times."))
            #expect(page.text.contains("…nopq-1</code> was used up"))
            #expect(page.text.contains("…nopq-2</code></p>"))
        }
    }

    @Test("a rejected refresh also ends the demo's session")
    func refusedRefresh() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            demo.provider.change { $0.tokenError = "invalid_grant" }
            #expect(try await browser.post("/session/refresh").text.contains("invalid_grant"))
            #expect(try await browser.get("/session").location == "/")
        }
    }

    @Test("a refresh that fails for another reason does not end the session")
    func failedRefresh() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            demo.provider.change { $0.tokenError = "temporarily_unavailable" }
            #expect(try await browser.post("/session/refresh").status == 502)
            #expect(try await browser.get("/session").status == 200)
        }
    }
}
