import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Acme's first application, which belongs to a third party.
enum ThirdParty {
    static func run(
        _ settings: [String: any Sendable] = [:],
        _ body: @Sendable @escaping (TestPlatform, TestBrowser, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, settings.merging(["is_third_party": true]) { $1 }).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform, TestBrowser(platform), request)
        }
    }

    /// The page after a sign-in with Apple.
    static func page(
        _ browser: TestBrowser, _ request: TestBrowser.Request, person: String = "new", changing changes: [String: String?] = [:]
    ) async throws -> TestBrowser.Answer {
        let toApple = try await browser.get(request.authorizeURL(changing: changes))
        let page = try await browser.callback(try await browser.atApple(toApple, person: person))
        #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
        return page
    }
}

extension TestPlatform {
    /// Revokes the only consent of the newest user.
    func revokeConsent() async throws {
        let user = try await ownerPool.run("SELECT public_id('user', id) AS id FROM tenant_user ORDER BY created_at DESC LIMIT 1")[0]
        let path = "/tenants/acme/users/\(try user.get("id", as: String.self))/consents"
        let consent = try #require(try await call("GET", path).data.first?["id"] as? String)
        #expect(try await call("DELETE", "\(path)/\(consent)").status == 204)
    }
}
