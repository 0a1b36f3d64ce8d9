import Access
import Encoding
import Foundation
import Pages
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

/// The pages about a sign-in that cannot start or finish.
@Suite("Error pages")
struct ErrorPageTests {
    private static let login = "https://app.test/login"

    /// Provides a tenant whose first application has a login URL.
    /// - Parameter number: 0 has a connection of its own, and 1 is on the shared one.
    private static func run(
        tenant number: Int = 0, _ adjust: @Sendable (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (TestPlatform, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await TestPlatform.run(adjust) { platform in
            let request = TestBrowser.Request(platform.seeded.tenants[number])
            let path = "/tenants/\(request.tenant.slug)/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["login_url": Self.login]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform, request)
        }
    }

    /// Whether the page has the name of the tenant, the reference, and the button that leads to the application.
    private static func isComplete(
        _ page: TestBrowser.Answer, _ status: Int, _ title: Text, of request: TestBrowser.Request, hasButton: Bool = true
    ) -> Bool {
        page.isPage(status) && page.body.contains("<h1>\(Language.english.text(title).escapedForHTML)</h1>")
            && page.body.contains("<header>\n<p><bdi>\(request.tenant.slug.capitalized)</bdi></p>")
            && page.header("Request-Id").map { page.body.contains("<bdi>\($0)</bdi>") } == true
            && page.body.contains("<a class=\"button\" href=\"\(login)\">") == hasButton
    }

    /// The page of a request, which must be complete.
    @discardableResult
    private static func complete(
        _ status: Int, _ title: Text, of request: TestBrowser.Request, hasButton: Bool = true,
        _ send: () async throws -> TestBrowser.Answer
    ) async throws -> TestBrowser.Answer {
        let page = try await send()
        #expect(isComplete(page, status, title, of: request, hasButton: hasButton), "\(page.status) \(title) \(page.body)")
        return page
    }

    /// Apple's response to an attempt that started at this time.
    /// - Parameter hasCookie: whether the browser has the cookie of the attempt. It never has those with the end of a long state.
    private static func afterApple(
        _ request: TestBrowser.Request, _ platform: TestPlatform, at start: Date = Date(), hasCookie: Bool = true, door: String? = nil
    ) async throws -> TestBrowser.Answer {
        let tenant = try await platform.configuration(of: request.tenant)
        let asked = try AuthorizationRequest(
            try Form(String(request.authorizeURL.split(separator: "?")[1])), from: tenant.applications, issuer: request.tenant.issuer)
        let attempt = LoginAttempt(
            asked, tenant: tenant.tenant.id, connection: tenant.connection!.id, browserSecret: "secret", at: start)
        let browser = TestBrowser(platform)
        if hasCookie { browser.cookies = [AttemptCookie(attempt.login, publicURL: TestPlatform.publicURL).name: "secret"] }
        return try await browser.post(
            door ?? request.tenant.return_url,
            form: [("state", attempt.sealed(with: platform.settings.keyring)), ("error", "user_cancelled_authorize")])
    }

    @Test("after Apple's sheet, the page belongs to the tenant and leads to the application, at both connections", arguments: [0, 1])
    func callback(tenant number: Int) async throws {
        try await Self.run(tenant: number) { platform, request in
            var long = request
            long.state = String(repeating: "s", count: 4096)
            let old = Date() - 901
            for (request, start, hasCookie, title) in [
                (request, old, true, Text.signInTookTooLong), (request, old, false, .signInTookTooLong),
                (long, old, false, .signInTookTooLong), (long, Date(), true, .signInStartedInAnotherBrowser),
                (request, Date(), false, .signInStartedInAnotherBrowser),
            ] {
                try await Self.complete(400, title, of: request) {
                    try await Self.afterApple(request, platform, at: start, hasCookie: hasCookie)
                }
            }
            // At the Return URL of another connection, nothing tells whose attempt it is.
            let other = platform.seeded.tenants[1 - number]
            let elsewhere = try await Self.afterApple(request, platform, at: old, door: other.return_url)
            #expect(elsewhere.isPage(400) && !elsewhere.body.contains(Self.login))
            #expect(!elsewhere.body.contains(request.tenant.slug.capitalized), "\(elsewhere.body)")
        }
    }

    @Test("a page has the tenant's look even if a change has just removed the tenant from memory")
    func afterChange() async throws {
        try await Self.run { platform, request in
            let browser = TestBrowser(platform)
            #expect(try await browser.get(request.authorizeURL).status == 302)
            platform.installation.directory.forget(ID<Tenant>(request.tenant.id)?.uuid)
            // It is refused before anything looks for the tenant.
            let page = try await browser.post(
                "\(request.tenant.issuer)/oauth2/consent", form: [("ticket", "x")], headers: [("Origin", "https://evil.test")])
            #expect(page.isPage(400) && page.body.contains("<p><bdi>Acme</bdi></p>"), "\(page.status) \(page.body)")
        }
    }

    @Test("before Apple's sheet, the page belongs to the tenant and leads to the application, if there is one")
    func authorize() async throws {
        try await Self.run { platform, request in
            let browser = TestBrowser(platform)
            let cases: [(changes: [String: String?], title: Text, hasButton: Bool)] = [
                (["redirect_uri": "https://evil.test/callback"], .returnAddressIsNotRegistered, true),
                (["redirect_uri": nil], .returnAddressIsMissing, true),
                (["state": String(repeating: "s", count: 12 * 1024 + 1)], .requestCannotBeProcessed, true),
                (["request_uri": "\(PushedRequest.prefix)x"], .signInHasExpired, true),
                (["client_id": "x"], .unknownApplication, false),
            ]
            for (changes, title, hasButton) in cases {
                try await Self.complete(400, title, of: request, hasButton: hasButton) {
                    try await browser.get(request.authorizeURL(changing: changes))
                }
            }
            try await Self.complete(400, .signInDidNotStart, of: request) {
                try await browser.get(request.authorizeURL, headers: [("Sec-Fetch-Dest", "iframe")])
            }

            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1, "hard": true]).status == 200)
            _ = try await browser.tokens(request)
            try await platform.rollUp()
            platform.installation.directory.forgetAll(isFresh: true)
            try await Self.complete(503, .signInIsUnavailableThisMonth, of: request) { try await browser.authorize(request) }
        }
    }

    @Test("the page of a suspended tenant leads to the application that the request or the attempt names", arguments: [0, 1])
    func suspended(tenant number: Int) async throws {
        try await Self.run(tenant: number) { platform, request in
            try await platform.suspend(request.tenant)
            platform.installation.directory.forgetAll(isFresh: true)
            let browser = TestBrowser(platform)
            let requests: [() async throws -> TestBrowser.Answer] = [
                { try await browser.authorize(request) },
                { try await browser.post("\(request.tenant.issuer)/oauth2/authorize", form: request.parameters) },
                { try await Self.afterApple(request, platform) }, { try await Self.afterApple(request, platform, at: Date() - 901) },
            ]
            for send in requests { try await Self.complete(404, .signInIsSuspended, of: request, send) }
            // An application of another tenant, and none.
            let other = platform.seeded.tenants[1 - number].applications[0].client_id
            for client in [other, "x"] {
                try await Self.complete(404, .signInIsSuspended, of: request, hasButton: false) {
                    try await browser.get(request.authorizeURL(changing: ["client_id": client]))
                }
            }
        }
    }

    @Test(
        "a refused redirect URI is shown, and the registered ones only on a server for development",
        arguments: ["http://localhost:8080", "https://login.test"])
    func registered(_ publicURL: String) async throws {
        try await Self.run({ $0.publicURL = publicURL }) { platform, request in
            let url = request.authorizeURL(changing: ["redirect_uri": "https://evil.test/callback"])
            let page = try await Self.complete(400, .returnAddressIsNotRegistered, of: request) {
                try await TestBrowser(platform).get(url)
            }
            #expect(page.body.contains("<bdi>https://evil.test/callback</bdi>"))
            #expect(page.body.contains(request.redirectURI) == publicURL.hasPrefix("http:"), "\(page.body)")
            // "This address" is the refused one, so the others come after the sentence.
            let parts = page.body.split(separator: "add this exact address")
            #expect(parts.count == 2 && parts[0].contains("https://evil.test/callback") && !parts[0].contains(request.redirectURI))
        }
    }
}
