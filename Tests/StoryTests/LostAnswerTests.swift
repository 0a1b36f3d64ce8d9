import Server
import TestSupport
import Testing

@testable import Postgres

/// PostgreSQL commits, and the connection ends before the answer arrives. The person signs in all the same, and is billed once.
@Suite("Lost answers")
struct LostAnswerTests {
    @Test(
        "a login or refresh whose answer is lost succeeds, with one session and one usage event",
        // Columns of the answers of the callback, the code grant and the refresh grant.
        arguments: ["email_disabled", "refresh_generation"])
    func repeated(answer: String) async throws {
        try await Self.run { platform, proxy in
            let first = try await platform.login()
            proxy.loseNext(answer)
            let login = try await platform.login("someone")
            let refreshed = try await login.browser.refresh(login.refresh, login.request)
            #expect(refreshed.status == 200)
            try #expect(#require(refreshed.json["refresh_token"] as? String) != login.refresh)
            #expect(proxy.lost == 1)
            let row = try await platform.ownerPool.run(
                """
                SELECT (SELECT count(*) FROM session) AS sessions, (SELECT count(*) FROM session WHERE ended_at IS NULL) AS live,
                    (SELECT count(*) FROM usage_arrival WHERE kind = 'login') AS events
                """)[0]
            #expect(try row.get("sessions") == 2)
            #expect(try row.get("live") == 2)
            #expect(try row.get("events") == 2)
            #expect(try await login.browser.refresh(first.refresh, first.request).status == 200)
        }
    }

    @Test(
        "a request whose read is lost succeeds: the configuration, a signing key, an API key, an introspection, a user",
        arguments: ["bundle_ids", "sealed_private", "bound_digest", "refreshed_at", "is_private_email"])
    func reads(answer: String) async throws {
        try await Self.run { platform, proxy in
            proxy.loseNext(answer)
            let login = try await platform.login()
            #expect(try await platform.letsIn(platform.acme.api_keys[0].secret))
            let application = platform.acme.applications[0]
            let introspected = try await login.browser.post(
                "\(platform.acme.issuer)/oauth2/introspect",
                form: [
                    ("token", login.access), ("client_id", application.client_id), ("client_secret", application.client_secret ?? ""),
                ])
            #expect(introspected.json["active"] as? Bool == true)
            #expect(try await login.browser.userInfo(login.access, of: platform.acme).status == 200)
            #expect(proxy.lost == 1)
        }
    }

    @Test("a code that two parties redeem still ends its session, even if an answer is lost between them")
    func replayed() async throws {
        try await Self.run { platform, proxy in
            _ = try await platform.login()
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            #expect(try await browser.redeem(code, request).status == 200)
            proxy.loseNext("email_disabled")
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            let live: Int = try await platform.ownerPool.run("SELECT count(*) AS n FROM session WHERE ended_at IS NULL")[0].get("n")
            #expect(live == 1)
        }
    }

    /// An installation whose server reaches PostgreSQL through a proxy.
    private static func run(_ body: @Sendable @escaping (TestPlatform, LossyProxy) async throws -> Void) async throws {
        let database = try await TestDatabase.make()
        let server = try #require(
            try ConnectionParameters(url: database.serverURL, applicationName: nil, settings: []).servers.first)
        let proxy = LossyProxy(socket: "\(server.host)/.s.PGSQL.\(server.port)")
        defer { proxy.close() }
        try await TestPlatform.run(on: database, { $0.databaseURL += "&host=127.0.0.1&port=\(proxy.port)" }) { platform in
            try await body(platform, proxy)
        }
    }
}
