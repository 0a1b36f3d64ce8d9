import Access
import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// An installation where people sign in with Apple. Its public URL is that of a provider of the test, which answers instead of the
/// platform's own tenant `acme`.
struct ApplePlatform: Sendable {
    let platform: TestPlatform
    let provider: FakeProvider

    static func run(
        _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (ApplePlatform) async throws -> Void
    ) async throws {
        try await FakeProvider.run(at: "/t/acme", isPublic: true) { provider in
            try await TestPlatform.run({ settings in
                settings.publicURL = provider.root
                settings.platformApplication = ("acme", FakeProvider.clientID)
                adjust(&settings)
            }) { platform in try await body(ApplePlatform(platform: platform, provider: provider)) }
        }
    }

    /// Presses a button that leads to Apple.
    /// - Returns: the URL of the response of Apple.
    func leave(_ path: String, from page: String, in browser: TestBrowser) async throws -> String {
        let answer = try await browser.sendForm(path, of: try await browser.get(provider.root + page))
        let refresh = try #require(answer.header("Refresh"), "\(answer.status) \(answer.location ?? answer.body)")
        let (code, query) = try provider.authorize(String(refresh.dropFirst("0; url=".count)))
        return TestBrowser.Request.url(
            "\(provider.root)/account/apple/callback", [("code", code), ("state", query["state"] ?? "")])
    }

    /// Connects the Apple Account of the provider in the own account.
    func link(_ account: OwnAccount) async throws -> TestBrowser.Answer {
        try await account.browser.get(try await leave("/account/apple/link", from: "/account", in: account.browser))
    }

    func identities(of account: OwnAccount) async throws -> Int {
        try await platform.count("person_identity", where: "person_id = '\(account.id.uuid)'")
    }
}
