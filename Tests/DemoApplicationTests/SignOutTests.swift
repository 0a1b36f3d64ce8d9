import Testing

@Suite("signing out")
struct SignOutTests {
    @Test("forgets the browser")
    func signOut() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            #expect(try await browser.post("/session/sign-out").location == "/")
            #expect(try await browser.get("/session").location == "/")
        }
    }

    @Test("a link or a picture on another site can't do it")
    func get() async throws {
        try await withDemo { demo in
            let browser = demo.browser
            _ = try await demo.signIn(in: browser)
            #expect(try await browser.get("/session/sign-out").status >= 400)
            #expect(try await browser.get("/session").status == 200)
        }
    }
}
