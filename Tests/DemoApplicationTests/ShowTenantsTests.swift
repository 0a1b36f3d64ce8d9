import DemoApplication
import HTTPTypes
import Testing

@Suite("the demo's first page")
struct ShowTenantsTests {
    @Test("shows each tenant's button, connection and usage so far")
    func cards() async throws {
        try await withDemo(connection: .shared) { demo in
            let page = try await demo.browser.get("/")
            #expect(page.status == 200)
            #expect(page.text.contains(#"<a class="apple" href="/login/acme">"#))
            #expect(page.text.contains("Sign in with Apple"))
            #expect(page.text.contains("The platform’s Apple credentials"))
            #expect(page.text.contains("<strong>3</strong> logins since 2026-11-01"))
            #expect(demo.provider.current.authorizations == ["Bearer \(Demo.apiKey)"])
            #expect(!page.text.contains(Demo.apiKey))
            #expect(!page.text.contains(Demo.clientSecret))
        }
    }

    @Test("works without the usage")
    func noUsage() async throws {
        try await withDemo { demo in
            demo.provider.change { $0.usage = (.internalServerError, "{}") }
            let page = try await demo.browser.get("/")
            #expect(page.status == 200)
            #expect(page.text.contains("usage is currently unavailable"))
            #expect(page.text.contains("Its own Apple credentials"))
        }
    }

    @Test("escapes a tenant's name")
    func hostileName() async throws {
        try await withDemo(name: "<script>alert(1)</script>") { demo in
            let page = try await demo.browser.get("/")
            #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!page.text.contains("<script"))
        }
    }

    @Test("forbids scripts and framing, and is not cached")
    func headers() async throws {
        try await withDemo { demo in
            let page = try await demo.browser.get("/")
            let policy = page.header("Content-Security-Policy") ?? ""
            #expect(policy.contains("default-src 'none'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(page.header("Cache-Control") == "no-store")
        }
    }

    @Test("an unknown address gets a page", arguments: ["/nothing", "/login/other", "/callback/other"])
    func unknown(path: String) async throws {
        try await withDemo { demo in
            let page = try await demo.browser.get(path)
            #expect(page.status == 404)
            #expect(page.text.contains(path == "/callback/other" ? "The demo does not know this tenant" : "Page not found"))
        }
    }
}
